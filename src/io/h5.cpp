/// HDF5 files: the one place for the HDF5 library, used through its C interface.
#include "wavetrain/io/h5.hpp"

#include "wavetrain/base/error.hpp"
#include "wavetrain/base/machine.hpp"
#include "wavetrain/io/atomic_file.hpp"
#include "wavetrain/io/file_kind.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include <hdf5.h>

namespace wavetrain {

namespace {

/// Held during every call: the library keeps global state and may be built without locks of its
/// own. Also keeps the library from printing its error stack (a setting per thread).
class Guard {
public:
    Guard() : lock_(mutex()) { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

private:
    static std::recursive_mutex& mutex() {
        static std::recursive_mutex instance;
        return instance;
    }
    std::lock_guard<std::recursive_mutex> lock_;
};

/// An identifier of the library with the function that closes it.
class Handle {
public:
    Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
    Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
    Handle& operator=(Handle&&) = delete;
    ~Handle() {
        if (id_ >= 0) close_(id_);
    }
    operator hid_t() const { return id_; }

private:
    hid_t id_;
    herr_t (*close_)(hid_t);
};

herr_t collect(unsigned, const H5E_error2_t* entry, void* texts) {
    if (entry->desc != nullptr)
        static_cast<std::vector<std::string>*>(texts)->emplace_back(entry->desc);
    return 0;
}

/// What the library says about its last failure: the innermost description, or the one about
/// locks, with what helps there.
std::string last_reason() {
    std::vector<std::string> texts;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, collect, &texts);
    for (const std::string& text : texts)
        if (text.find("unable to lock file") != std::string::npos)
            return text + "; where the file system supports no locks, set the environment "
                          "variable HDF5_USE_FILE_LOCKING=FALSE";
    return texts.empty() ? "no reason given" : texts.front();
}

/// Fixed or variable length text in memory, in the character set of the file's type.
Handle text_type(bool ascii, std::size_t width = H5T_VARIABLE) {
    Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type, width);
    H5Tset_strpad(type, width == H5T_VARIABLE ? H5T_STR_NULLTERM : H5T_STR_NULLPAD);
    H5Tset_cset(type, ascii ? H5T_CSET_ASCII : H5T_CSET_UTF8);
    return type;
}

bool all_ascii(const std::vector<std::string>& texts) {
    return std::all_of(texts.begin(), texts.end(), [](const std::string& text) {
        return std::all_of(text.begin(), text.end(),
                           [](char c) { return static_cast<unsigned char>(c) < 128; });
    });
}

Handle data_space(const std::vector<std::size_t>& shape) {
    if (shape.empty()) return Handle(H5Screate(H5S_SCALAR), H5Sclose);
    const std::vector<hsize_t> sizes(shape.begin(), shape.end());
    return Handle(H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr),
                  H5Sclose);
}

std::vector<std::size_t> shape_of(hid_t space) {
    const int rank = H5Sget_simple_extent_ndims(space);
    if (H5Sget_simple_extent_type(space) == H5S_NULL) return {0};
    std::vector<hsize_t> sizes(static_cast<std::size_t>(std::max(rank, 0)));
    if (rank > 0) H5Sget_simple_extent_dims(space, sizes.data(), nullptr);
    return {sizes.begin(), sizes.end()};
}

std::size_t element_count(const std::vector<std::size_t>& shape) {
    std::size_t count = 1;
    for (const std::size_t size : shape) count *= size;
    return count;
}

/// One text out of a fixed-length field.
std::string field_text(std::string_view field, H5T_str_t padding) {
    if (padding == H5T_STR_NULLTERM) return std::string(field.substr(0, field.find('\0')));
    const char filler = padding == H5T_STR_SPACEPAD ? ' ' : '\0';
    const std::size_t last = field.find_last_not_of(filler);
    return last == std::string_view::npos ? "" : std::string(field.substr(0, last + 1));
}

/// Reads `count` texts by `read(memory type, buffer)`; empty if the library refused.
template <class Read>
std::vector<std::string> texts_of(hid_t type, hid_t space, std::size_t count, bool& good,
                                  Read read) {
    std::vector<std::string> texts;
    if (H5Tis_variable_str(type) > 0) {
        std::vector<char*> pointers(count, nullptr);
        const Handle memory = text_type(H5Tget_cset(type) == H5T_CSET_ASCII);
        good = read(memory, pointers.data()) >= 0;
        if (!good) return texts;
        for (const char* pointer : pointers) texts.emplace_back(pointer ? pointer : "");
        H5Dvlen_reclaim(memory, space, H5P_DEFAULT, pointers.data());
        return texts;
    }
    const std::size_t width = H5Tget_size(type);
    std::string fields(count * width, '\0');
    good = read(type, fields.data()) >= 0;
    for (std::size_t index = 0; good && index < count; ++index)
        texts.push_back(
            field_text(std::string_view(fields).substr(index * width, width), H5Tget_strpad(type)));
    return texts;
}

} // namespace

struct H5File::Body {
    std::string path;
    hid_t file = -1;

    ~Body() {
        const Guard guard;
        if (file >= 0) H5Fclose(file);
    }

    /// The library failed on an object that is there: the file or the system is at fault.
    [[noreturn]] void broken(std::string_view what, const std::string& object) const {
        const std::string reason = last_reason();
        fail(Kind::environment, "cannot {} '{}' in '{}': {}", what, object, path, reason);
    }
    [[noreturn]] void unfit(const std::string& object, std::string_view what) const {
        fail(Kind::usage, "'{}' in '{}' {}", object, path, what);
    }

    bool has(const std::string& object) const {
        for (std::size_t end = 0; end < object.size(); ++end) {
            end = std::min(object.find('/', end), object.size());
            const std::string part = object.substr(0, end);
            if (part.empty() || part == "/" || part.back() == '/') continue;
            if (H5Lexists(file, part.c_str(), H5P_DEFAULT) <= 0) return false;
            if (H5Oexists_by_name(file, part.c_str(), H5P_DEFAULT) <= 0) return false;
        }
        return true;
    }
    Handle open(const std::string& object) const {
        if (!has(object)) fail(Kind::usage, "'{}' has no '{}'", path, object);
        Handle handle(H5Oopen(file, object.c_str(), H5P_DEFAULT), H5Oclose);
        if (handle < 0) broken("open", object);
        return handle;
    }
    Handle open_dataset(const std::string& object) const {
        Handle handle = open(object);
        if (H5Iget_type(handle) != H5I_DATASET) unfit(object, "is not a data set");
        return handle;
    }
    Handle open_attribute(hid_t object, const std::string& owner, const std::string& name) const {
        if (H5Aexists(object, name.c_str()) <= 0)
            fail(Kind::usage, "'{}' in '{}' has no attribute '{}'", owner, path, name);
        Handle handle(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose);
        if (handle < 0) broken("open the attribute " + name + " of", owner);
        return handle;
    }

    void write(const std::string& name, hid_t file_type, hid_t memory_type, const void* values,
               const std::vector<std::size_t>& shape);
    void set_attribute(const std::string& owner, const std::string& name, hid_t type,
                       const void* values, const std::vector<std::size_t>& shape);
    std::size_t readable_count(hid_t space, std::size_t element_bytes,
                               const std::string& object) const;
    template <class Number>
    std::vector<Number> numbers(const std::string& name, hid_t memory_type, bool integers) const;
    template <class Number>
    Number one_number(const std::string& owner, const std::string& name, hid_t memory_type,
                      bool integer) const;
    std::vector<std::string> attribute_texts(const std::string& owner, const std::string& name,
                                             bool list) const;
};

void H5File::Body::write(const std::string& name, hid_t file_type, hid_t memory_type,
                         const void* values, const std::vector<std::size_t>& shape) {
    const Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
    H5Pset_create_intermediate_group(links, 1);
    const Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_obj_track_times(creation, false);
    const Handle space = data_space(shape);
    const Handle dataset(
        H5Dcreate2(file, name.c_str(), file_type, space, links, creation, H5P_DEFAULT), H5Dclose);
    if (dataset < 0) broken("create", name);
    if (element_count(shape) == 0) return;
    if (H5Dwrite(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
        broken("write", name);
}

void H5File::Body::set_attribute(const std::string& owner, const std::string& name, hid_t type,
                                 const void* values, const std::vector<std::size_t>& shape) {
    const Handle object = open(owner);
    const Handle space = data_space(shape);
    const Handle attribute(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT),
                           H5Aclose);
    if (attribute < 0) broken("create the attribute " + name + " of", owner);
    if (element_count(shape) == 0) return;
    if (H5Awrite(attribute, type, values) < 0) broken("write the attribute " + name + " of", owner);
}

/// The number of elements, refused before anything is allocated if they cannot fit in memory (a
/// small file can declare a huge array).
std::size_t H5File::Body::readable_count(hid_t space, std::size_t element_bytes,
                                         const std::string& object) const {
    std::size_t bytes = element_bytes;
    bool fits = true;
    for (const std::size_t size : shape_of(space))
        fits = !__builtin_mul_overflow(bytes, size, &bytes) && fits;
    constexpr std::size_t kHarmless = std::size_t{1} << 24;
    if (!fits || (bytes > kHarmless && bytes > available_memory_bytes()))
        fail(Kind::environment, "'{}' in '{}' does not fit in memory: {} bytes are available",
             object, path, grouped(available_memory_bytes()));
    return bytes / element_bytes;
}

template <class Number>
std::vector<Number> H5File::Body::numbers(const std::string& name, hid_t memory_type,
                                          bool integers) const {
    const Handle dataset = open_dataset(name);
    const Handle type(H5Dget_type(dataset), H5Tclose);
    const Handle space(H5Dget_space(dataset), H5Sclose);
    if (type < 0 || space < 0) broken("read", name);
    const H5T_class_t kind = H5Tget_class(type);
    if (integers && kind != H5T_INTEGER) unfit(name, "does not hold integers");
    if (kind != H5T_INTEGER && kind != H5T_FLOAT) unfit(name, "does not hold numbers");
    std::vector<Number> values(readable_count(space, sizeof(Number), name));
    if (!values.empty() &&
        H5Dread(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
        broken("read", name);
    return values;
}

template <class Number>
Number H5File::Body::one_number(const std::string& owner, const std::string& name,
                                hid_t memory_type, bool integer) const {
    const Handle object = open(owner);
    const Handle attribute = open_attribute(object, owner, name);
    const Handle type(H5Aget_type(attribute), H5Tclose);
    const Handle space(H5Aget_space(attribute), H5Sclose);
    if (type < 0 || space < 0) broken("read the attribute " + name + " of", owner);
    const H5T_class_t kind = H5Tget_class(type);
    if (element_count(shape_of(space)) != 1 || (kind != H5T_INTEGER && kind != H5T_FLOAT) ||
        (integer && kind != H5T_INTEGER))
        unfit(owner, format("has an attribute '{}' that is not one {}", name,
                            integer ? "integer" : "number"));
    Number value{};
    if (H5Aread(attribute, memory_type, &value) < 0)
        broken("read the attribute " + name + " of", owner);
    return value;
}

std::vector<std::string> H5File::Body::attribute_texts(const std::string& owner,
                                                       const std::string& name, bool list) const {
    const Handle object = open(owner);
    const Handle attribute = open_attribute(object, owner, name);
    const Handle type(H5Aget_type(attribute), H5Tclose);
    const Handle space(H5Aget_space(attribute), H5Sclose);
    if (type < 0 || space < 0) broken("read the attribute " + name + " of", owner);
    const std::size_t count = readable_count(space, 1, owner);
    if (count == 0 && list) return {};
    if (H5Tget_class(type) != H5T_STRING || (!list && count != 1))
        unfit(owner, format("has an attribute '{}' that is not {}", name,
                            list ? "a list of texts" : "a text"));
    bool good = true;
    auto texts = texts_of(type, space, count, good, [&](hid_t memory, void* buffer) {
        return H5Aread(attribute, memory, buffer);
    });
    if (!good) broken("read the attribute " + name + " of", owner);
    return texts;
}

namespace {

/// Variable-length texts as the library takes them: one pointer each.
std::vector<const char*> pointers_to(const std::vector<std::string>& texts) {
    std::vector<const char*> pointers;
    for (const std::string& text : texts) {
        promise(text.find('\0') == std::string::npos, "a text in HDF5 may hold no NUL byte");
        pointers.push_back(text.c_str());
    }
    return pointers;
}

} // namespace

std::string hdf5_version() {
    const Guard guard;
    unsigned major = 0;
    unsigned minor = 0;
    unsigned release = 0;
    H5get_libversion(&major, &minor, &release);
    return format("{}.{}.{}", major, minor, release);
}

H5File::H5File(std::unique_ptr<Body> body) : body_(std::move(body)) {}
H5File::H5File(H5File&&) noexcept = default;
H5File& H5File::operator=(H5File&&) noexcept = default;
H5File::~H5File() = default;

H5File H5File::create() { return in_memory("memory", {}); }

H5File H5File::open_image(const std::string& name, std::string_view bytes) {
    return in_memory(name, bytes);
}

H5File H5File::in_memory(const std::string& path, std::string_view image) {
    const Guard guard;
    auto body = std::make_unique<Body>();
    body->path = path;
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    constexpr std::size_t kGrowth = std::size_t{1} << 16;
    H5Pset_fapl_core(access, kGrowth, false);
    // The library takes two files of one name for the same file, in memory too.
    static std::uint64_t number = 0;
    const std::string name = format("wavetrain-memory-{}", ++number);
    if (image.empty()) {
        body->file = H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
        if (body->file < 0) body->broken("create", "/");
    } else {
        // The library makes a copy of its own, and changes nothing through the pointer.
        H5Pset_file_image(access, const_cast<char*>(image.data()), image.size());
        body->file = H5Fopen(name.c_str(), H5F_ACC_RDONLY, access);
        if (body->file < 0) body->broken("open", "/");
    }
    return H5File(std::move(body));
}

H5File H5File::open(const std::string& path) {
    if (file_kind(path) != FileKind::hdf5)
        fail(Kind::environment, "cannot read '{}': it is not an HDF5 file", path);
    const Guard guard;
    auto body = std::make_unique<Body>();
    body->path = path;
    body->file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    if (body->file < 0) {
        const std::string reason = last_reason();
        fail(Kind::environment, "cannot read the HDF5 file '{}': {}", path, reason);
    }
    return H5File(std::move(body));
}

const std::string& H5File::path() const { return body_->path; }

std::string H5File::image() const {
    const Guard guard;
    if (H5Fflush(body_->file, H5F_SCOPE_GLOBAL) < 0) body_->broken("flush", "/");
    const ssize_t size = H5Fget_file_image(body_->file, nullptr, 0);
    std::string bytes(static_cast<std::size_t>(std::max<ssize_t>(size, 0)), '\0');
    if (size < 0 || H5Fget_file_image(body_->file, bytes.data(), bytes.size()) != size)
        body_->broken("make an image of", "/");
    return bytes;
}

void H5File::save(const std::string& path) const { replace_text(path, image()); }

void H5File::create_group(const std::string& group) {
    const Guard guard;
    if (body_->has(group)) return;
    const Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
    H5Pset_create_intermediate_group(links, 1);
    const Handle made(H5Gcreate2(body_->file, group.c_str(), links, H5P_DEFAULT, H5P_DEFAULT),
                      H5Gclose);
    if (made < 0) body_->broken("create", group);
}

void H5File::write(const std::string& dataset, std::span<const double> values,
                   const std::vector<std::size_t>& shape, Stored stored) {
    const Guard guard;
    promise(values.size() == element_count(shape), "h5: as many values as the shape says");
    if (stored == Stored::float64) {
        body_->write(dataset, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values.data(), shape);
        return;
    }
    std::vector<float> rounded(values.size());
    std::transform(values.begin(), values.end(), rounded.begin(),
                   [](double value) { return static_cast<float>(value); });
    body_->write(dataset, H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, rounded.data(), shape);
}

void H5File::write_integers(const std::string& dataset, std::span<const std::int64_t> values,
                            const std::vector<std::size_t>& shape) {
    const Guard guard;
    promise(values.size() == element_count(shape), "h5: as many values as the shape says");
    body_->write(dataset, H5T_STD_I64LE, H5T_NATIVE_INT64, values.data(), shape);
}

void H5File::write_texts(const std::string& dataset, const std::vector<std::string>& texts) {
    const Guard guard;
    std::size_t width = 1;
    for (const std::string& text : texts) width = std::max(width, text.size());
    std::string fields(texts.size() * width, '\0');
    for (std::size_t i = 0; i < texts.size(); ++i) texts[i].copy(&fields[i * width], width);
    const Handle type = text_type(all_ascii(texts), width);
    body_->write(dataset, type, type, fields.data(), {texts.size()});
}

bool H5File::has(const std::string& object) const {
    const Guard guard;
    return body_->has(object);
}

bool H5File::is_group(const std::string& object) const {
    const Guard guard;
    return body_->has(object) && H5Iget_type(body_->open(object)) == H5I_GROUP;
}

bool H5File::is_dataset(const std::string& object) const {
    const Guard guard;
    return body_->has(object) && H5Iget_type(body_->open(object)) == H5I_DATASET;
}

std::vector<std::string> H5File::members(const std::string& group) const {
    const Guard guard;
    const Handle handle = body_->open(group);
    if (H5Iget_type(handle) != H5I_GROUP) body_->unfit(group, "is not a group");
    H5G_info_t info{};
    if (H5Gget_info(handle, &info) < 0) body_->broken("list", group);
    std::vector<std::string> names;
    for (hsize_t index = 0; index < info.nlinks; ++index) {
        const auto name = [&](char* buffer, std::size_t size) {
            return H5Lget_name_by_idx(handle, ".", H5_INDEX_NAME, H5_ITER_INC, index, buffer, size,
                                      H5P_DEFAULT);
        };
        const ssize_t size = name(nullptr, 0);
        if (size < 0) body_->broken("list", group);
        std::string text(static_cast<std::size_t>(size) + 1, '\0');
        if (name(text.data(), text.size()) < 0) body_->broken("list", group);
        text.pop_back();
        names.push_back(std::move(text));
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::vector<std::size_t> H5File::shape(const std::string& dataset) const {
    const Guard guard;
    const Handle handle = body_->open_dataset(dataset);
    const Handle space(H5Dget_space(handle), H5Sclose);
    if (space < 0) body_->broken("read", dataset);
    return shape_of(space);
}

std::vector<double> H5File::read(const std::string& dataset) const {
    const Guard guard;
    return body_->numbers<double>(dataset, H5T_NATIVE_DOUBLE, false);
}

std::vector<std::int64_t> H5File::read_integers(const std::string& dataset) const {
    const Guard guard;
    return body_->numbers<std::int64_t>(dataset, H5T_NATIVE_INT64, true);
}

std::vector<std::string> H5File::read_texts(const std::string& dataset) const {
    const Guard guard;
    const Handle handle = body_->open_dataset(dataset);
    const Handle type(H5Dget_type(handle), H5Tclose);
    const Handle space(H5Dget_space(handle), H5Sclose);
    if (type < 0 || space < 0) body_->broken("read", dataset);
    if (H5Tget_class(type) != H5T_STRING) body_->unfit(dataset, "does not hold texts");
    const std::size_t count = body_->readable_count(space, H5Tget_size(type), dataset);
    if (count == 0) return {};
    bool good = true;
    auto texts = texts_of(type, space, count, good, [&](hid_t memory, void* buffer) {
        return H5Dread(handle, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer);
    });
    if (!good) body_->broken("read", dataset);
    return texts;
}

void H5File::set_text(const std::string& object, const std::string& name, std::string_view text) {
    const Guard guard;
    const std::vector<std::string> texts{std::string(text)};
    const Handle type = text_type(all_ascii(texts));
    body_->set_attribute(object, name, type, pointers_to(texts).data(), {});
}

void H5File::set_texts(const std::string& object, const std::string& name,
                       const std::vector<std::string>& texts) {
    const Guard guard;
    const Handle type = text_type(all_ascii(texts));
    body_->set_attribute(object, name, type, pointers_to(texts).data(), {texts.size()});
}

void H5File::set_number(const std::string& object, const std::string& name, double value) {
    const Guard guard;
    body_->set_attribute(object, name, H5T_IEEE_F64LE, &value, {});
}

void H5File::set_integer(const std::string& object, const std::string& name, std::int64_t value) {
    const Guard guard;
    body_->set_attribute(object, name, H5T_STD_I64LE, &value, {});
}

bool H5File::has_attribute(const std::string& object, const std::string& name) const {
    const Guard guard;
    return body_->has(object) && H5Aexists(body_->open(object), name.c_str()) > 0;
}

std::string H5File::text(const std::string& object, const std::string& name) const {
    const Guard guard;
    return body_->attribute_texts(object, name, false).front();
}

std::vector<std::string> H5File::texts(const std::string& object, const std::string& name) const {
    const Guard guard;
    return body_->attribute_texts(object, name, true);
}

double H5File::number(const std::string& object, const std::string& name) const {
    const Guard guard;
    return body_->one_number<double>(object, name, H5T_NATIVE_DOUBLE, false);
}

std::int64_t H5File::integer(const std::string& object, const std::string& name) const {
    const Guard guard;
    return body_->one_number<std::int64_t>(object, name, H5T_NATIVE_INT64, true);
}

} // namespace wavetrain

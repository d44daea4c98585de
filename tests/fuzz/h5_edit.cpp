/// Edits of HDF5 files, spelled by fuzzed bytes.
#include "h5_edit.hpp"

#include "fuzz.hpp"

#include <array>
#include <fuzzer/FuzzedDataProvider.h>
#include <hdf5.h>
#include <utility>

namespace fuzz {
namespace {

/// An identifier of the library that closes itself.
class Id {
public:
    Id(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
    Id(Id&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
    Id& operator=(Id&&) = delete;
    ~Id() {
        if (id_ >= 0) close_(id_);
    }
    operator hid_t() const { return id_; }

private:
    hid_t id_;
    herr_t (*close_)(hid_t);
};

/// Sizes that are small, zero, or so large that nobody may allocate them.
constexpr std::array<hsize_t, 10> kSizes = {0, 1, 2, 3, 4, 6, 8, 20, 100, hsize_t{1} << 40};
constexpr std::size_t kMostBytes = 1 << 16;

class Editor {
public:
    Editor(hid_t file, const Vocabulary& vocabulary, FuzzedDataProvider& bytes)
        : file_(file), vocabulary_(vocabulary), bytes_(bytes) {}

    void edit() {
        switch (bytes_.ConsumeIntegralInRange(0, 7)) {
        case 0: H5Ldelete(file_, object().c_str(), H5P_DEFAULT); break;
        case 1: H5Adelete_by_name(file_, object().c_str(), attribute().c_str(), H5P_DEFAULT); break;
        case 2: replace_dataset(); break;
        case 3:
        case 4: replace_attribute(); break;
        case 5:
            Id(H5Gcreate2(file_, object().c_str(), parents(), H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
            break;
        case 6: link(); break;
        case 7:
            H5Lmove(file_, object().c_str(), file_, object().c_str(), H5P_DEFAULT, H5P_DEFAULT);
            break;
        }
    }

private:
    std::string chosen(const std::vector<std::string>& names) {
        const std::size_t at = bytes_.ConsumeIntegralInRange<std::size_t>(0, names.size());
        std::string name = at < names.size() ? names[at] : bytes_.ConsumeRandomLengthString(12);
        return name.substr(0, name.find('\0'));
    }
    std::string object() { return chosen(vocabulary_.objects); }
    std::string attribute() { return chosen(vocabulary_.attributes); }
    static Id parents() {
        Id links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
        H5Pset_create_intermediate_group(links, 1);
        return links;
    }

    Id type() {
        const std::array<hid_t, 9> plain = {H5T_IEEE_F64LE, H5T_IEEE_F32LE,  H5T_STD_I64LE,
                                            H5T_STD_U8BE,   H5T_STD_I32BE,   H5T_IEEE_F64BE,
                                            H5T_STD_B32LE,  H5T_STD_REF_OBJ, H5T_UNIX_D32LE};
        const std::size_t kind = bytes_.ConsumeIntegralInRange<std::size_t>(0, plain.size() + 4);
        if (kind < plain.size()) return Id(H5Tcopy(plain[kind]), H5Tclose);
        if (kind == plain.size()) return Id(H5Tcreate(H5T_OPAQUE, 5), H5Tclose);
        if (kind == plain.size() + 1) {
            const hsize_t two = 2;
            return Id(H5Tarray_create2(H5T_IEEE_F64LE, 1, &two), H5Tclose);
        }
        if (kind == plain.size() + 2) {
            Id pair(H5Tcreate(H5T_COMPOUND, 16), H5Tclose);
            H5Tinsert(pair, "a", 0, H5T_IEEE_F64LE);
            H5Tinsert(pair, "b", 8, H5T_STD_I64LE);
            return pair;
        }
        Id text(H5Tcopy(H5T_C_S1), H5Tclose);
        variable_ = kind == plain.size() + 3;
        H5Tset_size(text,
                    variable_ ? H5T_VARIABLE : bytes_.ConsumeIntegralInRange<std::size_t>(1, 40));
        H5Tset_strpad(text,
                      static_cast<H5T_str_t>(bytes_.ConsumeIntegralInRange(0, variable_ ? 0 : 2)));
        H5Tset_cset(text, bytes_.ConsumeBool() ? H5T_CSET_UTF8 : H5T_CSET_ASCII);
        return text;
    }

    Id space() {
        shape_.clear();
        count_ = 1;
        const int rank = bytes_.ConsumeIntegralInRange(0, 4);
        if (rank == 4) {
            count_ = 0;
            return Id(H5Screate(H5S_NULL), H5Sclose);
        }
        for (int i = 0; i < rank; ++i) {
            shape_.push_back(bytes_.PickValueInArray(kSizes));
            count_ =
                __builtin_mul_overflow(count_, shape_.back(), &count_) ? kSizes.back() : count_;
        }
        if (rank == 0) return Id(H5Screate(H5S_SCALAR), H5Sclose);
        return Id(H5Screate_simple(rank, shape_.data(), nullptr), H5Sclose);
    }

    /// Values for `count_` elements of a type: bytes, or pointers to texts of variable length.
    bool values(hid_t of) {
        if (variable_) {
            if (count_ > 200) return false;
            texts_.clear();
            for (hsize_t i = 0; i < count_; ++i) texts_.push_back(object());
            pointers_.clear();
            for (const std::string& text : texts_) pointers_.push_back(text.c_str());
            if (!pointers_.empty() && bytes_.ConsumeBool()) pointers_.back() = nullptr;
            return true;
        }
        const std::size_t width = H5Tget_size(of);
        if (count_ > kMostBytes / width) return false;
        const std::string given = bytes_.ConsumeRandomLengthString(64);
        buffer_.assign(count_ * width, '\0');
        for (std::size_t i = 0; i < buffer_.size() && !given.empty(); ++i)
            buffer_[i] = given[i % given.size()];
        return true;
    }
    const void* data() const {
        return variable_ ? static_cast<const void*>(pointers_.data()) : buffer_.data();
    }

    void replace_dataset() {
        const std::string path = object();
        variable_ = false;
        const Id kind = type();
        const Id extent = space();
        H5Ldelete(file_, path.c_str(), H5P_DEFAULT);
        const Id creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
        // Chunks that nobody writes take no room, whatever the shape claims.
        if (!shape_.empty() && count_ > 0) {
            const std::vector<hsize_t> chunk(shape_.size(), 1);
            H5Pset_chunk(creation, static_cast<int>(chunk.size()), chunk.data());
        }
        const Id made(
            H5Dcreate2(file_, path.c_str(), kind, extent, parents(), creation, H5P_DEFAULT),
            H5Dclose);
        if (made >= 0 && count_ > 0 && values(kind))
            H5Dwrite(made, kind, H5S_ALL, H5S_ALL, H5P_DEFAULT, data());
    }

    void replace_attribute() {
        const std::string owner = object();
        const std::string name = attribute();
        variable_ = false;
        const Id kind = type();
        const Id extent = space();
        if (!values(kind)) return;
        H5Adelete_by_name(file_, owner.c_str(), name.c_str(), H5P_DEFAULT);
        const Id made(H5Acreate_by_name(file_, owner.c_str(), name.c_str(), kind, extent,
                                        H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                      H5Aclose);
        if (made >= 0 && count_ > 0) H5Awrite(made, kind, data());
    }

    void link() {
        const std::string target = object();
        const std::string path = object();
        switch (bytes_.ConsumeIntegralInRange(0, 2)) {
        case 0:
            H5Lcreate_hard(file_, target.c_str(), file_, path.c_str(), parents(), H5P_DEFAULT);
            break;
        case 1: H5Lcreate_soft(target.c_str(), file_, path.c_str(), parents(), H5P_DEFAULT); break;
        case 2:
            H5Lcreate_external("/nowhere.h5", "/", file_, path.c_str(), parents(), H5P_DEFAULT);
            break;
        }
    }

    hid_t file_;
    const Vocabulary& vocabulary_;
    FuzzedDataProvider& bytes_;
    bool variable_ = false;
    std::vector<hsize_t> shape_;
    hsize_t count_ = 1;
    std::string buffer_;
    std::vector<std::string> texts_;
    std::vector<const char*> pointers_;
};

} // namespace

std::string edited(const std::string& image, const Vocabulary& vocabulary, const std::uint8_t* data,
                   std::size_t size) {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    const Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_fapl_core(access, kMostBytes, false);
    H5Pset_file_image(access, const_cast<char*>(image.data()), image.size());
    const Id file(H5Fopen("fuzz-edited", H5F_ACC_RDWR, access), H5Fclose);
    require(file >= 0);
    FuzzedDataProvider bytes(data, size);
    for (int edits = 0; edits < 12 && bytes.remaining_bytes() > 0; ++edits)
        Editor(file, vocabulary, bytes).edit();
    H5Fflush(file, H5F_SCOPE_GLOBAL);
    const ssize_t length = H5Fget_file_image(file, nullptr, 0);
    std::string result(static_cast<std::size_t>(length), '\0');
    require(H5Fget_file_image(file, result.data(), result.size()) == length);
    return result;
}

} // namespace fuzz

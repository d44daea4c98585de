/// Weights as Keras stores them in HDF5: the older layout is written and read, the newer one read.
#pragma once

#include "wavetrain/io/h5.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace wavetrain {

/// One array of weights; `values` in C order.
struct KerasArray {
    std::string name; ///< older layout: the variable's ("dense/kernel:0"); newer: its number
    std::vector<std::size_t> shape;
    std::vector<double> values;
};

/// One layer with its arrays in order; layers without weights have none.
struct KerasLayer {
    std::string name;
    std::vector<KerasArray> arrays;
};

/// Which of Keras' layouts a file has.
enum class KerasLayout {
    older, ///< model.save_weights("x.h5") of Keras 2: layers in model order, any names
    newer, ///< "x.weights.h5" of Keras 3: layers by class and number (dense, dense_1, ...)
};

/// The layout of a file; an `environment` error if it holds no weights of Keras.
KerasLayout keras_layout(const H5File& file);

/// Writes layers in the older layout, so that Keras' load_weights() takes them layer by layer in
/// this order: float32 arrays, attributes layer_names, weight_names, backend and keras_version.
void write_keras_layers(H5File& file, const std::vector<KerasLayer>& layers);

/// The layers of a file in either layout (a whole model saved in the older one too). Older: in
/// the order of layer_names and weight_names. Newer: sorted by class, then number, since the file
/// says nothing of the order of different classes; arrays by number. `usage` errors where an array
/// is missing or lies in a nested layer, which this program does not have.
std::vector<KerasLayer> read_keras_layers(const H5File& file);

/// Class and number of a layer of the newer layout: "dense" is {dense, 0}, "dense_1" {dense, 1}.
std::pair<std::string, std::size_t> keras_class(const std::string& layer_name);

} // namespace wavetrain

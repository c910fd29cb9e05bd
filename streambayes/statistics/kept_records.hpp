// Records of a warm-up: kept until the bins of all attributes that they help to make are there.
#pragma once
#include <cstdint>
#include <vector>

namespace streambayes {

struct KeptRecord {
    std::vector<double> x;      // by place among the numeric attributes; NaN: missing
    std::vector<int32_t> code;  // by place among the nominal attributes; -1: missing
    int32_t label = 0;
    double w = 0;
};

}  // namespace streambayes

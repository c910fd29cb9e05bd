// Record: what every door (bytes, dicts, data frames) turns its input into, and what every learner
// reads. Codes and numbers stand at the index of their attribute in the learner's Schema.
#pragma once
#include <cstdint>
#include <cstring>
#include <vector>

#include "vocabulary.hpp"

namespace streambayes {

enum Kind : uint8_t { KIND_UNDECIDED = 0, KIND_NOMINAL = 1, KIND_NUMERIC = 2, KIND_TEXT = 3 };
enum Role : uint8_t { ROLE_ATTRIBUTE = 0, ROLE_TARGET = 1, ROLE_WEIGHT = 2, ROLE_DROP = 3 };

const int32_t MISSING = -1;  // a code: no value
const int32_t UNSEEN = -2;   // a code: a value that was never learned; its bytes are among `fresh`

struct Value {  // borrowed bytes
    const char *data = nullptr;
    uint32_t size = 0;
    uint8_t tag = TAG_MISSING;
};

struct Fresh {  // a cell whose attribute or value the schema doesn't know
    int32_t attribute = -1;
    uint8_t kind = KIND_UNDECIDED;
    Value name;  // of the attribute
    Value value;
    double x = 0;
};

struct Record {
    std::vector<int32_t> code;  // nominal attributes: a code, MISSING or UNSEEN
    std::vector<double> x;      // numeric attributes: a number, or NaN where missing
    std::vector<Fresh> fresh;
    Value label;
    int32_t label_code = MISSING;  // MISSING: no label; UNSEEN: one that was never learned
    double weight = 1;
    std::vector<char> store;  // owns the borrowed bytes once `keep` was called

    void clear(size_t attributes) {
        code.assign(attributes, MISSING);
        x.assign(attributes, __builtin_nan(""));
        fresh.clear();
        label = Value();
        label_code = MISSING;
        weight = 1;
    }
    Record() = default;
    Record(Record &&) = default;  // moved, never copied: `store` may own what the others borrow
    Record &operator=(Record &&) = default;

    // Copies the borrowed bytes, so that the record outlives its reader's buffer.
    void keep() {
        size_t n = label.size;
        for (const Fresh &f : fresh) n += f.name.size + f.value.size;
        std::vector<char> own;
        own.reserve(n);
        auto take = [&own](Value &v) {
            own.insert(own.end(), v.data, v.data + v.size);
            v.data = own.data() + own.size() - v.size;
        };
        take(label);
        for (Fresh &f : fresh) take(f.name), take(f.value);
        store.swap(own);
    }

    // Becomes a copy that owns its bytes.
    void copy(const Record &r) {
        code = r.code, x = r.x, fresh = r.fresh;
        label = r.label, label_code = r.label_code, weight = r.weight;
        keep();
    }
};

struct Attribute {
    uint8_t kind = KIND_UNDECIDED;
    Vocabulary values;
};

}  // namespace streambayes

// Digits to doubles and back, the same on every C++ library: std::from_chars and std::to_chars
// where they know doubles, else strtod and snprintf under the "C" locale, which round alike.
#pragma once
#include <charconv>
#include <clocale>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace streambayes {

// A number that is known to be well formed: digits, '.', exponent; no plus sign in front.
// Too large: infinity; too small: 0.
inline double digits_to_double(const char *p, const char *end) {
#if defined(__cpp_lib_to_chars)
    double x = 0;
    auto r = std::from_chars(p, end, x);
    if (r.ec == std::errc()) return x;
#endif
    return std::strtod(std::string(p, end).c_str(), nullptr);  // Python keeps LC_NUMERIC at "C"
}

inline double marked_digits_to_double(const char *p, const char *end, char mark) {
    if (mark == '.') return digits_to_double(p, end);
    std::string plain(p, end);
    for (char &c : plain)
        if (c == mark) c = '.';
    return digits_to_double(plain.data(), plain.data() + plain.size());
}

// The shortest digits that read back as x; at most 32 bytes. Whole numbers get a ".0".
inline size_t double_to_digits(double x, char *out) {
#if defined(__cpp_lib_to_chars)
    size_t n = std::to_chars(out, out + 32, x).ptr - out;
#else
    size_t n = 0;
    for (int precision = 15; precision <= 17; precision++) {
        n = std::snprintf(out, 32, "%.*g", precision, x);
        if (std::strtod(out, nullptr) == x) break;
    }
#endif
    for (size_t i = 0; i < n; i++)
        if (out[i] == '.' || out[i] == 'e' || out[i] == 'n') return n;
    out[n] = '.';
    out[n + 1] = '0';
    return n + 2;
}

// The canonical key of a number as a nominal value: digits for a whole number (1 and 1.0 are one),
// else the eight bytes of the double, little end first. Answers true for a whole number.
inline bool number_key(double x, std::string &key) {
    if (x == std::floor(x) && std::isfinite(x)) {
        char text[400];
        key.assign(text, std::snprintf(text, sizeof text, "%.0f", x == 0 ? 0.0 : x));
        return true;
    }
    uint64_t bits;
    std::memcpy(&bits, &x, 8);
    key.resize(8);
    for (int i = 0; i < 8; i++) key[i] = char(bits >> 8 * i & 255);
    return false;
}

inline double real_of_key(const char *p) {
    uint64_t bits = 0;
    for (int i = 0; i < 8; i++) bits |= uint64_t(uint8_t(p[i])) << 8 * i;
    double x;
    std::memcpy(&x, &bits, 8);
    return x;
}

}  // namespace streambayes

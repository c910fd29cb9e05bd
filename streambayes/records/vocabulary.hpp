// Vocabulary: the values of one attribute (or the labels, or the attribute names), numbered in the
// order in which they were first learned. `find` reads and answers a code or -1; only `intern`
// writes. The hash table serves finding alone: whatever is summed, printed or saved walks `entries`.
#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace streambayes {

enum Tag : uint8_t {  // the type of a value: true, 1 and "1" are three values
    TAG_STRING = 0,   // UTF-8 bytes
    TAG_INTEGER = 1,  // canonical decimal digits: 1 and 1.0 are one value
    TAG_REAL = 2,     // the eight bytes of a double that is no whole number, little end first
    TAG_TRUE = 3,
    TAG_FALSE = 4,
    TAG_MISSING = 5,  // JSON null, an absent member
    TAG_NESTED = 6,   // a JSON object or array, raw
};

struct Entry {
    size_t offset;  // of its bytes in `arena`
    uint32_t size;
    uint8_t tag;
    bool declared;  // named by the schema (ARFF): counts in |A| before it is seen
};

class Vocabulary {
  public:
    std::vector<Entry> entries;
    std::vector<char> arena;

    size_t size() const { return entries.size(); }
    const char *data(size_t code) const { return arena.data() + entries[code].offset; }

    size_t held() const {  // bytes, with the room kept for more
        return entries.capacity() * sizeof(Entry) + arena.capacity() + slots.capacity() * sizeof(Slot);
    }

    // The code of a value, or -1.
    int32_t find(uint8_t tag, const char *p, uint32_t n) const {
        if (slots.empty()) return -1;
        const uint64_t head = head_of(p, n), key = key_of(tag, n);
        for (size_t i = hash(head, key, p, n) & mask;; i = (i + 1) & mask) {
            const Slot &s = slots[i];
            if (s.code < 0) return -1;
            if (s.head == head && s.key == key &&
                (n <= 8 || std::memcmp(data(s.code) + 8, p + 8, n - 8) == 0))
                return s.code;
        }
    }

    // The code of a value, which is added at the end if it is new.
    int32_t intern(uint8_t tag, const char *p, uint32_t n) {
        int32_t code = find(tag, p, n);
        if (code >= 0) return code;
        if ((entries.size() + 1) * 2 > slots.size()) rehash(slots.empty() ? 16 : slots.size() * 2);
        code = int32_t(entries.size());
        entries.push_back({arena.size(), n, tag, false});
        arena.insert(arena.end(), p, p + n);
        place(code);
        return code;
    }

    // Room for so many values and bytes in all, so that interning them moves nothing.
    void reserve(size_t values, size_t bytes) {
        size_t n = 16;
        while (n < 2 * values + 2) n *= 2;
        entries.reserve(values);
        arena.reserve(bytes);
        if (n > slots.size()) rehash(n);
    }

  private:
    struct Slot {
        uint64_t head, key;
        int32_t code;
    };
    std::vector<Slot> slots;
    size_t mask = 0;

    static uint64_t key_of(uint8_t tag, uint32_t n) { return uint64_t(n) << 8 | tag; }

    template <class T> static uint64_t load(const char *p) {
        T v;
        std::memcpy(&v, p, sizeof v);
        return v;
    }
    // The first eight bytes, zeros after the end; never reads past it.
    static uint64_t head_of(const char *p, uint32_t n) {
        if (n >= 8) return load<uint64_t>(p);
        if (n >= 4) return load<uint32_t>(p) | load<uint32_t>(p + n - 4) << (n - 4) * 8;
        if (n >= 2) return load<uint16_t>(p) | load<uint16_t>(p + n - 2) << (n - 2) * 8;
        return n ? uint64_t(uint8_t(*p)) : 0;
    }
    static size_t hash(uint64_t head, uint64_t key, const char *p, uint32_t n) {
        uint64_t h = (head ^ key * 0x9E3779B97F4A7C15u) * 0xD6E8FEB86659FD93u;
        for (uint32_t i = 8; i < n; i += 8) {
            h ^= h >> 32;
            h = (h ^ (i + 8 <= n ? load<uint64_t>(p + i) : load<uint64_t>(p + n - 8))) * 0xD6E8FEB86659FD93u;
        }
        return size_t(h ^ h >> 32);
    }
    void place(int32_t code) {
        const Entry &e = entries[code];
        const char *p = data(code);
        const uint64_t head = head_of(p, e.size), key = key_of(e.tag, e.size);
        size_t i = hash(head, key, p, e.size) & mask;
        while (slots[i].code >= 0) i = (i + 1) & mask;
        slots[i] = {head, key, code};
    }
    void rehash(size_t n) {
        slots.assign(n, Slot{0, 0, -1});
        mask = n - 1;
        for (size_t c = 0; c < entries.size(); c++) place(int32_t(c));
    }
};

}  // namespace streambayes

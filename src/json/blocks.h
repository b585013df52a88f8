#pragma once

#include "json/key_index.h"
#include "json/value.h"

// How arrays and objects lie in an arena; for the files that build them.

namespace proa::json {

// Items follow right behind.
struct alignas(Value) Value::ArrayBlock {
  uint32_t capacity;
  Value* items() { return reinterpret_cast<Value*>(this + 1); }
};

// Members follow right behind.
struct Value::ObjectBlock {
  uint32_t capacity;
  KeyIndex index;  // empty while the object is small
  Member* members() { return reinterpret_cast<Member*>(this + 1); }
};

}  // namespace proa::json

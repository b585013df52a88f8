#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "api/schema/model.h"

namespace proa::api {

class FieldInput;
struct FieldTable;

// The kinds of values of a member, for verify() to compare with the schema.
struct Holds {
  uint32_t forms = 0;            // a bit for each Form
  Shape shape = Shape::kSingle;  // of a list or map: `forms` are those of its elements
  bool anything = false;         // whatever the field is
  std::string_view type = {};    // the name of the message, where code reads it as a whole
  const FieldTable& (*table)() = nullptr;  // of a struct
};

// One field of a type: its JSON name, and how it is read into a member of the struct.
struct FieldEntry {
  std::string_view name;
  // False when the value does not fit; the input says why. REQUIRES: it is there, and not null.
  bool (*read)(FieldInput& input, void* owner);
  Holds holds;
};

// Which fields of a type a struct holds. Lives as long as the program.
struct FieldTable {
  // "apps/v1/Deployment": the type in schema/, several where the struct serves several. kMap: the
  // names are keys of a map of texts, such as annotations.
  std::string_view types;
  std::span<const FieldEntry> entries;

  static constexpr std::string_view kMap = "map";

  // Null when the struct has no such field. Quick when `guess` is right, as it is when an object
  // is read in the order of its type.
  const FieldEntry* find(std::string_view name, size_t guess) const {
    for (size_t i = 0; i < entries.size(); ++i) {
      const FieldEntry& entry = entries[(guess + i) % entries.size()];
      if (entry.name == name) return &entry;
    }
    return nullptr;
  }
};

}  // namespace proa::api

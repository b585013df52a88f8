#include "api/structure/structure.h"

#include <algorithm>

#include "api/structure/structure_reader.h"
#include "base/strings.h"

namespace proa::api {
namespace structures {

// How many properties an object may skip before a binary search is faster.
constexpr size_t kLikelySkipped = 4;
// Holds all but very large schemas.
constexpr size_t kTrialBlock = size_t{256} << 10;
// What an arena needs besides, with alignment.
constexpr size_t kBlockHead = 48;

}  // namespace structures

std::string_view kind_name(StructureKind kind) {
  switch (kind) {
    case StructureKind::kNone:
      return {};
    case StructureKind::kObject:
      return "object";
    case StructureKind::kArray:
      return "array";
    case StructureKind::kString:
      return "string";
    case StructureKind::kInteger:
      return "integer";
    case StructureKind::kNumber:
      return "number";
    case StructureKind::kBoolean:
      return "boolean";
  }
  return {};
}

const Property* Structure::find(std::string_view name, size_t guess) const {
  const size_t end = std::min(guess + structures::kLikelySkipped, properties.size());
  for (size_t i = guess; i < end; ++i) {
    if (same_text(properties[i].name, name)) return &properties[i];
  }
  const auto found =
      std::lower_bound(properties.begin(), properties.end(), name,
                       [](const Property& a, std::string_view b) { return a.name < b; });
  return found != properties.end() && found->name == name ? &*found : nullptr;
}

Result<Structures> Structures::parse(const json::Value& schema) {
  Structures made;
  // The first pass finds out how much memory the second one needs: an arena that grows leaves a
  // part of its last block empty, and there may be thousands of definitions.
  json::Arena trial(structures::kTrialBlock);
  const char* const start = static_cast<char*>(trial.allocate(1, 1));
  const size_t one_block = trial.reserved();
  if (StructureReader(trial).read(schema) == nullptr) {
    return Status(Reason::kRequestEntityTooLarge,
                  "the schema is too large: it has more than 100000 schemas in it");
  }
  const char* const end = static_cast<char*>(trial.allocate(1, 1));
  const bool fits = trial.reserved() == one_block;
  made.arena_ = std::make_unique<json::Arena>(
      fits ? static_cast<size_t>(end - start) + structures::kBlockHead : trial.reserved());
  made.root_ = StructureReader(*made.arena_).read(schema);
  return made;
}

size_t Structures::memory() const { return sizeof(*this) + sizeof(*arena_) + arena_->reserved(); }

}  // namespace proa::api

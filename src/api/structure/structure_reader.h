#pragma once

#include <string_view>
#include <unordered_set>
#include <vector>

#include "api/structure/structure.h"
#include "base/text/seeded_hash.h"

namespace proa::api {

// Builds structures in an arena; for Structures.
class StructureReader {
 public:
  explicit StructureReader(json::Arena& arena) : arena_(arena) {}

  // Null if the schema is too large.
  const Structure* read(const json::Value& schema);

 private:
  const Structure* read_one(const json::Value& schema);
  void read_extensions(const json::Value& schema, Structure& structure);
  void read_parts(const json::Value& schema, Structure& structure);
  const Checks* read_checks(const json::Value& schema, const Structure& structure);
  void read_format(const json::Value& schema, const Structure& structure, Checks& checks);
  const NumberChecks* read_number_checks(const json::Value& schema);
  const SizeChecks* read_size_checks(const json::Value& schema);
  const Combinations* read_combinations(const json::Value& schema);
  std::span<const Structure* const> read_list(const json::Value* schemas);
  std::span<const std::string_view> read_texts(const json::Value* texts);
  const Structure* keep_structure(const Structure& structure);
  // A text that occurs often is kept once.
  std::string_view keep_text(std::string_view text);
  template <typename T>
  const T* keep_one(const T& value);
  template <typename T>
  std::span<T> new_array(size_t size);

  json::Arena& arena_;
  size_t count_ = 0;
  std::unordered_set<std::string_view, SeededHash> texts_;
  std::vector<const Structure*> plain_;  // those without parts: most fields are of few types
};

}  // namespace proa::api

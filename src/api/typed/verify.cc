#include "api/typed/verify.h"

#include <algorithm>
#include <set>

#include "base/strings.h"

namespace proa::api {
namespace verify_tables {

std::string full_name(const Type& type) {
  return std::string(type.group_version) + "/" + std::string(type.name);
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> found;
  while (!(text = trim(text)).empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    found.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return found;
}

class Verifier {
 public:
  explicit Verifier(const Schema& schema) : schema_(schema) {}

  void check(const FieldTable& table) {
    if (!seen_.insert(&table).second) return;
    if (table.types == FieldTable::kMap) return check_keys(table);
    const std::vector<std::string_view> names = words(table.types);
    if (names.empty()) problems.push_back("a table without a type");
    for (const std::string_view name : names) {
      const Type* type = find(name);
      if (type == nullptr) {
        problems.push_back(std::string(name) + ": no such type");
        continue;
      }
      for (const FieldEntry& entry : table.entries) check(*type, entry);
    }
  }

  std::vector<std::string> problems;

 private:
  const Type* find(std::string_view name) const {
    for (const Type* type : schema_.types()) {
      if (full_name(*type) == name) return type;
    }
    return nullptr;
  }

  void check_keys(const FieldTable& table) {
    for (const FieldEntry& entry : table.entries) {
      if (entry.holds.shape == Shape::kSingle && entry.holds.table == nullptr) continue;
      problems.push_back("map: " + std::string(entry.name) + ": is no text");
    }
  }

  void check(const Type& type, const FieldEntry& entry) {
    const std::string where = full_name(type) + ": " + std::string(entry.name);
    const Field* field = type.find(entry.name);
    if (field == nullptr) {
      problems.push_back(where + ": no such field");
      return;
    }
    const Holds& holds = entry.holds;
    if (holds.table != nullptr) check(holds.table());
    if (holds.anything) return;
    if (holds.table != nullptr && holds.table().types == FieldTable::kMap) {
      if (field->shape != Shape::kMap || field->type->form != Form::kString)
        problems.push_back(where + ": is no map of texts");
      return;
    }
    const uint32_t form = uint32_t{1} << static_cast<uint8_t>(field->type->form);
    if (field->shape != holds.shape) {
      problems.push_back(where + ": is a list or map where the member is none, or the reverse");
    } else if ((holds.forms & form) == 0) {
      problems.push_back(where + ": the member cannot hold it");
    } else if (!holds.type.empty() && holds.type != field->type->name) {
      problems.push_back(where + ": is no " + std::string(holds.type));
    } else if (holds.table != nullptr && !serves(holds.table(), *field->type)) {
      problems.push_back(where + ": is " + full_name(*field->type) + ", the table is for " +
                         std::string(holds.table().types));
    }
  }

  static bool serves(const FieldTable& table, const Type& type) {
    const std::vector<std::string_view> names = words(table.types);
    return std::find(names.begin(), names.end(), full_name(type)) != names.end();
  }

  const Schema& schema_;
  std::set<const FieldTable*> seen_;
};

}  // namespace verify_tables

std::vector<std::string> verify(const FieldTable& table, const Schema& schema) {
  verify_tables::Verifier verifier(schema);
  verifier.check(table);
  return std::move(verifier.problems);
}

}  // namespace proa::api

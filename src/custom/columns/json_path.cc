#include "custom/columns/json_path.h"

#include <algorithm>
#include <optional>

#include "custom/columns/json_path_node.h"

namespace proa::custom {
namespace json_paths {

using Node = JsonPath::Node;
using Values = std::vector<const json::Value*>;

// More is nothing that anybody prints; recursive descents multiply.
constexpr size_t kMost = 10'000;

bool is_container(const json::Value& value) {
  return value.is(json::Kind::kArray) || value.is(json::Kind::kObject);
}

void append_parts(const json::Value& value, Values& out) {
  for (const json::Value& item : value.items()) out.push_back(&item);
  for (const json::Member& member : value.members()) out.push_back(&member.value);
}

// Less, equal or greater; nullopt for what cannot be compared.
std::optional<int> compare(const json::Value& a, const json::Value& b, bool order) {
  if (a.kind() != b.kind() || a.is_null() || is_container(a)) return std::nullopt;
  if (a.is(json::Kind::kString)) return a.as_string().compare(b.as_string());
  if (a.is(json::Kind::kInt)) return a.as_int() < b.as_int() ? -1 : a.as_int() > b.as_int() ? 1 : 0;
  if (a.is(json::Kind::kDouble)) {
    return a.as_double() < b.as_double() ? -1 : a.as_double() > b.as_double() ? 1 : 0;
  }
  if (order) return std::nullopt;
  return a.as_bool() == b.as_bool() ? 0 : 1;
}

// `values` are the results; also after a failure, as upstream's filters look at them.
class Evaluation {
 public:
  bool run(const std::vector<Node>& nodes, Values& values) {
    return std::all_of(nodes.begin(), nodes.end(), [&](const Node& node) {
      return step(node, values) && values.size() <= kMost;
    });
  }

 private:
  bool step(const Node& node, Values& values) {
    switch (node.kind) {
      case Node::Kind::kConstant:
        if (node.once) values.resize(1);
        std::fill(values.begin(), values.end(), node.constant);
        return true;
      case Node::Kind::kField:
        return find_field(node, values);
      case Node::Kind::kArray:
        return slice(node, values);
      case Node::Kind::kFilter:
        return filter(node, values);
      case Node::Kind::kWildcard: {
        Values found;
        for (const json::Value* value : values) append_parts(*value, found);
        values = std::move(found);
        return true;
      }
      case Node::Kind::kRecursive: {
        Values found;
        const bool done = descend(values, found);
        values = std::move(found);
        return done;
      }
      case Node::Kind::kUnion:
        return unite(node, values);
      case Node::Kind::kUnknown:
        return false;
    }
    return false;
  }

  static bool find_field(const Node& node, Values& values) {
    Values found;
    for (const json::Value* value : values) {
      if (const json::Value* member = value->find(node.name)) found.push_back(member);
    }
    values = std::move(found);
    return true;
  }

  static bool slice(const Node& node, Values& values) {
    Values found;
    for (const json::Value* value : values) {
      if (value->is_null()) continue;
      if (!value->is(json::Kind::kArray)) return false;
      const auto size = static_cast<int64_t>(value->size());
      int64_t from = node.bounds[0].known ? node.bounds[0].value : 0;
      int64_t to = node.bounds[1].known ? node.bounds[1].value : size;
      if (from < 0) from += size;
      if (to < 0 || (to == 0 && node.bounds[1].derived)) to += size;
      if (from == to) {
        // Upstream stops here, with what it has.
        values = std::move(found);
        return true;
      }
      if (from < 0 || from >= size || to < 0 || to > size || from > to) return false;
      const int64_t step = node.bounds[2].known ? node.bounds[2].value : 1;
      if (step <= 0) return false;
      for (int64_t i = from; i < to; i += step) {
        found.push_back(&value->items()[static_cast<size_t>(i)]);
        if (step > to) break;
      }
    }
    values = std::move(found);
    return true;
  }

  bool filter(const Node& node, Values& values) {
    Values found;
    for (const json::Value* value : values) {
      if (!value->is(json::Kind::kArray)) return false;
      for (const json::Value& item : value->items()) {
        Values left{&item};
        const bool done = run(node.lists[0], left);
        if (node.name == "exists") {
          if (!left.empty()) found.push_back(&item);
          continue;
        }
        if (!done) return false;
        if (left.empty()) continue;
        Values right{&item};
        if (left.size() > 1 || !run(node.lists[1], right)) return false;
        if (right.empty()) continue;
        if (right.size() > 1) return false;
        const std::optional<bool> passes = holds(node.name, *left[0], *right[0]);
        if (!passes) return false;
        if (*passes) found.push_back(&item);
      }
    }
    values = std::move(found);
    return true;
  }

  static std::optional<bool> holds(std::string_view operation, const json::Value& left,
                                   const json::Value& right) {
    const bool order = operation != "==" && operation != "!=";
    const std::optional<int> result = compare(left, right, order);
    if (!result) return std::nullopt;
    if (operation == "==") return *result == 0;
    if (operation == "!=") return *result != 0;
    if (operation == "<") return *result < 0;
    if (operation == "<=") return *result <= 0;
    if (operation == ">") return *result > 0;
    if (operation == ">=") return *result >= 0;
    return std::nullopt;
  }

  static bool descend(const Values& values, Values& found) {
    for (const json::Value* value : values) {
      if (found.size() > kMost) return false;
      if (value->is(json::Kind::kString) && !value->as_string().empty()) found.push_back(value);
      if (value->size() == 0) continue;
      Values parts;
      append_parts(*value, parts);
      found.push_back(value);
      if (!descend(parts, found)) return false;
    }
    return true;
  }

  bool unite(const Node& node, Values& values) {
    Values found;
    for (const std::vector<Node>& list : node.lists) {
      Values part = values;
      if (!run(list, part)) return false;
      found.insert(found.end(), part.begin(), part.end());
    }
    values = std::move(found);
    return true;
  }
};

}  // namespace json_paths

JsonPath::JsonPath() = default;
JsonPath::JsonPath(JsonPath&&) noexcept = default;
JsonPath& JsonPath::operator=(JsonPath&&) noexcept = default;
JsonPath::~JsonPath() = default;

Result<JsonPath> JsonPath::parse(std::string_view text) {
  JsonPath path;
  path.constants_ = std::make_unique<json::Document>();
  path.nodes_ = TRY(parse_json_path(text, *path.constants_));
  return path;
}

Result<std::vector<const json::Value*>> JsonPath::find(const json::Value& object) const {
  json_paths::Values values{&object};
  if (!json_paths::Evaluation().run(nodes_, values)) {
    return Status(Reason::kBadRequest, "the path does not fit the object");
  }
  return values;
}

}  // namespace proa::custom

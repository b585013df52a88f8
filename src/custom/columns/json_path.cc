#include "custom/columns/json_path.h"

#include <algorithm>
#include <array>
#include <optional>

#include "custom/columns/json_path_node.h"

namespace proa::custom {
namespace json_paths {

using Node = JsonPath::Node;
using Values = std::vector<JsonPath::Found>;

// More is nothing that anybody prints; recursive descents and ranges multiply.
constexpr size_t kMost = 10'000;
constexpr int kMostRanges = 32;

bool is_container(const json::Value& value) {
  return value.is(json::Kind::kArray) || value.is(json::Kind::kObject);
}

// Upstream takes a text apart into bytes, which are numbers.
const json::Value* byte_value(char byte) {
  static const auto kBytes = [] {
    std::array<json::Value, 256> bytes;
    for (size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = json::Value::integer(static_cast<int64_t>(i));
    }
    return bytes;
  }();
  return &kBytes[static_cast<unsigned char>(byte)];
}

void append_parts(const json::Value& value, Values& out) {
  for (const json::Value& item : value.items()) out.push_back({&item});
  for (const json::Member& member : value.members()) out.push_back({&member.value});
}

void append_bytes(const json::Value& value, Values& out) {
  if (!value.is(json::Kind::kString)) return;
  for (const char byte : value.as_string().substr(0, kMost + 1)) {
    out.push_back({byte_value(byte), true});
  }
}

// What an index or a slice selects of a list.
struct Part {
  int64_t from = 0;
  int64_t to = 0;
  int64_t step = 1;
};

Part part_of(const Node& node, int64_t size) {
  Part part{.from = node.bounds[0].known ? node.bounds[0].value : 0,
            .to = node.bounds[1].known ? node.bounds[1].value : size,
            .step = node.bounds[2].known ? node.bounds[2].value : 1};
  if (part.from < 0) part.from += size;
  if (part.to < 0 || (part.to == 0 && node.bounds[1].derived)) part.to += size;
  return part;
}

bool is_within(const Part& part, int64_t size) {
  return part.from >= 0 && part.from < size && part.to >= 0 && part.to <= size &&
         part.from <= part.to && part.step > 0;
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

// Each step takes values, and leaves its results in their place; also after a failure, as
// upstream's filters look at them.
class Evaluation {
 public:
  Evaluation(const std::vector<Node>& actions, PathSteps& steps)
      : actions_(actions), steps_(steps) {}

  // The results of the first action that has any in upstream's FindResults; all have to succeed.
  bool find(const json::Value& object, Values& results) {
    if (!find(0, {&object}, true)) return false;
    if (first_) results = std::move(*first_);
    return true;
  }

 private:
  // From an action on, up to the end of the innermost range.
  bool find(size_t from, JsonPath::Found start, bool keeps) {
    for (size_t i = from; i < actions_.size(); ++i) {
      Values values{start};
      if (!step(actions_[i], values)) return false;
      if (ends_ > 0 && ends_ <= inside_) {
        --ends_;
        last_end_ = i;
        return true;
      }
      if (begins_ > 0) {
        if (!range(i + 1, values, keeps)) return false;
        i = std::max(i, last_end_);
      } else if (keeps && !first_) {
        first_ = std::move(values);
      }
    }
    return true;
  }

  bool range(size_t from, const Values& values, bool keeps) {
    static const json::Value kNothing{};
    --begins_;
    if (++inside_ > kMostRanges) return false;
    // A range of nothing is passed through, too: to find its end.
    bool done = !values.empty() || find(from, {&kNothing}, false);
    for (size_t i = 0; done && i < values.size(); ++i) done = find(from, values[i], keeps);
    --inside_;
    return done;
  }

  bool run(const std::vector<Node>& nodes, Values& values) {
    return std::all_of(nodes.begin(), nodes.end(),
                       [&](const Node& node) { return step(node, values); });
  }

  bool step(const Node& node, Values& values) {
    const bool done = apply(node, values);
    const bool paid = steps_.take(values.size() + 1);
    return done && paid && values.size() <= kMost;
  }

  bool apply(const Node& node, Values& values) {
    switch (node.kind) {
      case Node::Kind::kConstant:
        if (node.once) values.resize(1);
        // Upstream's integers of a path are not those of JSON.
        std::fill(values.begin(), values.end(),
                  JsonPath::Found{node.constant, node.constant->is(json::Kind::kInt)});
        return true;
      case Node::Kind::kField:
        return find_field(node, values);
      case Node::Kind::kArray:
        return slice(node, values);
      case Node::Kind::kFilter:
        return filter(node, values);
      case Node::Kind::kWildcard:
        return expand(values);
      case Node::Kind::kRecursive: {
        Values found;
        const bool done = descend(values, found);
        values = std::move(found);
        return done;
      }
      case Node::Kind::kUnion:
        return unite(node, values);
      case Node::Kind::kAction:
        return run(node.lists[0], values);
      case Node::Kind::kRange:
        ++begins_;
        return true;
      case Node::Kind::kEnd:
        values.clear();
        if (inside_ > 0) ++ends_;
        return inside_ > 0;
      case Node::Kind::kUnknown:
        return false;
    }
    return false;
  }

  static bool find_field(const Node& node, Values& values) {
    Values found;
    for (const JsonPath::Found& one : values) {
      if (const json::Value* member = one.value->find(node.name)) found.push_back({member});
    }
    values = std::move(found);
    return true;
  }

  bool expand(Values& values) {
    Values found;
    for (const JsonPath::Found& one : values) {
      if (!steps_.take(one.value->size())) return false;
      append_parts(*one.value, found);
      append_bytes(*one.value, found);
      if (found.size() > kMost) return false;
    }
    values = std::move(found);
    return true;
  }

  static bool slice(const Node& node, Values& values) {
    Values found;
    for (const JsonPath::Found& one : values) {
      const json::Value& list = *one.value;
      if (list.is_null()) continue;
      if (!list.is(json::Kind::kArray)) return false;
      const auto size = static_cast<int64_t>(list.size());
      const Part part = part_of(node, size);
      // Upstream stops here, with what it has.
      if (part.from == part.to) break;
      if (!is_within(part, size)) return false;
      for (int64_t i = part.from; i < part.to; i += std::min(part.step, size)) {
        found.push_back({&list.items()[static_cast<size_t>(i)]});
      }
    }
    values = std::move(found);
    return true;
  }

  bool filter(const Node& node, Values& values) {
    Values found;
    for (const JsonPath::Found& one : values) {
      if (!one.value->is(json::Kind::kArray)) return false;
      for (const json::Value& item : one.value->items()) {
        if (!steps_.take(1)) return false;
        const std::optional<bool> passes = is_selected(node, item);
        if (!passes) return false;
        if (*passes) found.push_back({&item});
      }
    }
    values = std::move(found);
    return true;
  }

  // Nullopt: the filter fails.
  std::optional<bool> is_selected(const Node& node, const json::Value& item) {
    Values left{{&item}};
    const bool done = run(node.lists[0], left);
    if (steps_.left == 0) return std::nullopt;
    if (node.name == "exists") return !left.empty();
    if (!done || left.size() > 1) return std::nullopt;
    if (left.empty()) return false;
    Values right{{&item}};
    if (!run(node.lists[1], right) || right.size() > 1) return std::nullopt;
    if (right.empty()) return false;
    return holds(node.name, *left[0].value, *right[0].value);
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

  bool descend(const Values& values, Values& found) {
    for (const JsonPath::Found& one : values) {
      const json::Value& value = *one.value;
      if (found.size() > kMost) return false;
      if (value.is(json::Kind::kString) && !value.as_string().empty()) found.push_back(one);
      if (value.size() == 0) continue;
      if (!steps_.take(value.size())) return false;
      Values parts;
      append_parts(value, parts);
      found.push_back(one);
      if (!descend(parts, found)) return false;
    }
    return true;
  }

  bool unite(const Node& node, Values& values) {
    Values found;
    for (const std::vector<Node>& list : node.lists) {
      if (!steps_.take(values.size() + 1)) return false;
      Values part = values;
      if (!run(list, part)) return false;
      found.insert(found.end(), part.begin(), part.end());
    }
    values = std::move(found);
    return true;
  }

  const std::vector<Node>& actions_;
  PathSteps& steps_;
  std::optional<Values> first_;
  // Upstream's state: ranges that the last action began, those around it, and ends that it had.
  int begins_ = 0;
  int inside_ = 0;
  int ends_ = 0;
  size_t last_end_ = 0;
};

// ".spec.replicas": each step finds one value or none.
bool is_plain(const std::vector<Node>& actions) {
  if (actions.size() != 1 || actions[0].kind != Node::Kind::kAction) return false;
  const std::vector<Node>& steps = actions[0].lists[0];
  return std::all_of(steps.begin(), steps.end(),
                     [](const Node& node) { return node.kind == Node::Kind::kField; });
}

}  // namespace json_paths

JsonPath::JsonPath() = default;
JsonPath::JsonPath(JsonPath&&) noexcept = default;
JsonPath& JsonPath::operator=(JsonPath&&) noexcept = default;
JsonPath::~JsonPath() = default;

Result<JsonPath> JsonPath::parse(std::string_view text) {
  JsonPath path;
  path.constants_ = std::make_unique<json::Document>();
  path.nodes_ = TRY(parse_json_path(text, *path.constants_));
  path.plain_ = json_paths::is_plain(path.nodes_);
  return path;
}

std::vector<JsonPath::Found> JsonPath::walk(const json::Value& object) const {
  const json::Value* value = &object;
  for (const Node& node : nodes_[0].lists[0]) {
    value = value->find(node.name);
    if (value == nullptr) return {};
  }
  return {{value}};
}

Result<std::vector<JsonPath::Found>> JsonPath::find(const json::Value& object) const {
  PathSteps steps;
  return find(object, steps);
}

Result<std::vector<JsonPath::Found>> JsonPath::find(const json::Value& object,
                                                    PathSteps& steps) const {
  if (plain_) return walk(object);
  json_paths::Values values;
  if (!json_paths::Evaluation(nodes_, steps).find(object, values)) {
    return Status(Reason::kBadRequest, "the path does not fit the object");
  }
  return values;
}

}  // namespace proa::custom

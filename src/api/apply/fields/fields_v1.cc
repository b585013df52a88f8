#include "api/apply/fields/fields_v1.h"

#include <algorithm>

#include "json/print.h"

namespace proa::api {
namespace fields_v1 {

using json::Value;

constexpr std::string_view kSelf = ".";

struct Level {
  FieldSet set;
  bool member = false;
};

class Reader {
 public:
  explicit Reader(json::Arena& arena) : make_(arena) {}

  // REQUIRES: the depth is limited, as the parser does.
  Result<Level> read(const Value& fields) {
    if (!fields.is(json::Kind::kObject) && !fields.is_null())
      return Status(Reason::kBadRequest, "fieldsV1 must consist of objects");
    Level level;
    const size_t begin = make_.begin();
    for (const json::Member& member : fields.members()) {
      if (member.key == kSelf) {
        level.member = true;
        continue;
      }
      const std::optional<Element> element = TRY(parse_element(member.key, make_.arena()));
      if (!element) continue;
      const Level below = TRY(read(member.value));
      make_.add(*element, below.member, below.set);
    }
    level.set = make_.end_unsorted(begin);
    if (level.set.empty()) level.member = true;
    return level;
  }

 private:
  FieldSetMaker make_;
};

class Writer {
 public:
  explicit Writer(json::Arena& arena) : arena_(arena) {}

  Value write(const FieldSet& set, bool member) {
    Value object = Value::object();
    if (member && !set.empty()) object.set_borrowed(arena_, kSelf, Value::object());
    for (const FieldNode& node : set.nodes()) {
      text_.clear();
      node.element.print_to(text_);
      const std::string_view key = arena_.copy(text_);
      object.set_borrowed(arena_, key, write(node.below, node.member));
    }
    return object;
  }

 private:
  json::Arena& arena_;
  std::string text_;
};

void print_level(std::string& out, std::string& text, const FieldSet& set, bool member) {
  out += '{';
  bool first = true;
  if (member && !set.empty()) {
    out += R"(".":{})";
    first = false;
  }
  for (const FieldNode& node : set.nodes()) {
    if (!std::exchange(first, false)) out += ',';
    text.clear();
    node.element.print_to(text);
    json::print_string_to(out, text);
    out += ':';
    print_level(out, text, node.below, node.member);
  }
  out += '}';
}

// Looks for paths in the wire form, without parsing it.
class Search {
 public:
  void remove(Value& fields, const FieldSet& set) {
    for (const FieldNode& node : set.nodes()) {
      Value* found = fields.find(key_of(node.element));
      if (found == nullptr || !found->is(json::Kind::kObject)) continue;
      bool member = is_member(*found);
      remove(*found, node.below);
      if (node.member) member = false;
      if (!member) found->remove(kSelf);
      const bool holds_others = found->size() > (member ? 1U : 0U);
      if (!member && !holds_others) {
        fields.remove(key_of(node.element));
      } else if (!holds_others) {
        found->remove(kSelf);  // alone, it is not said
      }
    }
  }

  bool has_any(const Value& fields, const FieldSet& set) {
    return std::ranges::any_of(set.nodes(), [&](const FieldNode& node) {
      const Value* found = find(fields, node.element);
      if (found == nullptr) return false;
      return (node.member && is_member(*found)) || has_any(*found, node.below);
    });
  }

  bool has_all(const Value& fields, const FieldSet& set) {
    return std::ranges::all_of(set.nodes(), [&](const FieldNode& node) {
      const Value* found = find(fields, node.element);
      if (found == nullptr) return false;
      return (!node.member || is_member(*found)) && has_all(*found, node.below);
    });
  }

 private:
  const Value* find(const Value& fields, const Element& element) {
    return fields.find(key_of(element));
  }
  std::string_view key_of(const Element& element) {
    key_.clear();
    element.print_to(key_);
    return key_;
  }
  static bool is_member(const Value& level) {
    return level.size() == 0 || level.find(kSelf) != nullptr;
  }

  std::string key_;
};

}  // namespace fields_v1

Result<FieldSet> parse_fields_v1(const json::Value& fields, json::Arena& arena) {
  const fields_v1::Level level = TRY(fields_v1::Reader(arena).read(fields));
  return level.set;
}

json::Value to_fields_v1(const FieldSet& set, json::Arena& arena) {
  return fields_v1::Writer(arena).write(set, false);
}

std::string print_fields_v1(const FieldSet& set) {
  std::string out;
  std::string text;
  fields_v1::print_level(out, text, set, false);
  return out;
}

bool has_any(const json::Value& fields, const FieldSet& set) {
  return fields_v1::Search().has_any(fields, set);
}

bool has_all(const json::Value& fields, const FieldSet& set) {
  return fields_v1::Search().has_all(fields, set);
}

void remove_paths(json::Value& fields, const FieldSet& set) {
  fields_v1::Search().remove(fields, set);
}

}  // namespace proa::api

#include "api/apply/fields/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "api/patch/strategic_errors.h"
#include "api/validation/go_text.h"

namespace proa::api {
namespace check {

using json::Kind;
using json::Member;
using json::Value;

// More than anyone reads; the rest is not looked for.
constexpr size_t kMaxErrors = 100;

// As %#v prints them.
void append_go_syntax(std::string& out, const Value& value) {
  switch (value.kind()) {
    case Kind::kNull:
      out += "interface {}(nil)";
      return;
    case Kind::kString:
      out += quoted(value.as_string());
      return;
    case Kind::kArray: {
      out += "[]interface {}{";
      bool first = true;
      for (const Value& item : value.items()) {
        if (!std::exchange(first, false)) out += ", ";
        append_go_syntax(out, item);
      }
      out += '}';
      return;
    }
    case Kind::kObject: {
      std::vector<const Member*> members;
      for (const Member& member : value.members()) members.push_back(&member);
      std::ranges::sort(members, {}, &Member::key);
      out += "map[string]interface {}{";
      bool first = true;
      for (const Member* member : members) {
        if (!std::exchange(first, false)) out += ", ";
        out += quoted(member->key) + ":";
        append_go_syntax(out, member->value);
      }
      out += '}';
      return;
    }
    default:
      out += go_value_text(value);
  }
}

std::string_view go_type(const Value& value) {
  switch (value.kind()) {
    case Kind::kString:
      return "string";
    case Kind::kBool:
      return "bool";
    case Kind::kArray:
      return "[]interface {}";
    default:
      return "map[string]interface {}";
  }
}

std::string shown(const Value& value) { return "&{" + go_value_text(value) + "}"; }

std::string scalar_problem(const Value& value, Scalar scalar) {
  const bool number = value.is_number();
  const bool text = value.is(Kind::kString);
  const bool flag = value.is(Kind::kBool);
  switch (scalar) {
    case Scalar::kNumber:
      return number ? "" : fmt::format("expected numeric (int or float), got {}", go_type(value));
    case Scalar::kString: {
      if (text) return "";
      std::string syntax;
      append_go_syntax(syntax, value);
      return "expected string, got &value.valueUnstructured{Value:" + syntax + "}";
    }
    case Scalar::kBool:
      return flag ? "" : "expected boolean, got " + shown(value);
    default:
      return number || text || flag ? "" : "expected any scalar, got " + shown(value);
  }
}

class Checker {
 public:
  explicit Checker(Duplicates duplicates) : duplicates_(duplicates) {}

  void check(const Value& value, Place place) {
    if (errors_.size() >= kMaxErrors) return;
    const Atom atom = place.resolve().fitting(&value);
    if (value.is_null()) return;
    if (atom.map) {
      check_map(value, atom);
    } else if (atom.scalar != Scalar::kNone) {
      const std::string problem = scalar_problem(value, atom.scalar);
      if (!problem.empty()) add(problem);
    } else {
      check_list(value, atom);
    }
  }

  std::string text() const {
    if (errors_.empty()) return {};
    if (errors_.size() == 1) return errors_[0];
    std::string all = "errors:";
    for (const std::string& error : errors_) all += "\n  " + error;
    return all;
  }

 private:
  void check_map(const Value& value, const Atom& atom) {
    if (!value.is(Kind::kObject)) return add("expected map, got " + shown(value));
    FieldLookup fields(atom);
    for (const Member& member : value.members()) {
      const Place place = fields.place_of(member.key);
      path_.push_back(Element::field(member.key));
      if (!place.declared()) {
        add("field not declared in schema");
        path_.pop_back();
        return;
      }
      check(member.value, place);
      path_.pop_back();
    }
  }

  void check_list(const Value& value, const Atom& atom) {
    if (!value.is(Kind::kArray)) return add("expected list, got " + shown(value));
    std::vector<std::pair<Element, size_t>> elements;
    for (size_t i = 0; i < value.items().size(); ++i) {
      const Value& item = value.items()[i];
      Element element = Element::index(static_cast<int64_t>(i));
      if (!atom.list_atomic) {
        const ItemElement found = item_element(atom, item, arena_);
        if (!found.ok()) {
          add(fmt::format("element {}: {}", i, found.problem));
          break;
        }
        element = found.element;
        elements.emplace_back(element, i);
      }
      path_.push_back(element);
      check(item, atom.items);
      path_.pop_back();
    }
    if (duplicates_ == Duplicates::kRejected) check_duplicates(elements);
  }

  void check_duplicates(std::vector<std::pair<Element, size_t>>& elements) {
    std::ranges::stable_sort(elements, {}, [](const auto& one) { return one.first; });
    for (size_t i = 1; i < elements.size() && errors_.size() < kMaxErrors; ++i) {
      if (elements[i].first != elements[i - 1].first) continue;
      add("duplicate entries for key " + path_text(elements[i].first));
    }
  }

  static std::string path_text(const Element& element) {
    std::string text;
    element.append_to(text);
    return text;
  }

  void add(std::string_view problem) {
    std::string error;
    for (const Element& element : path_) element.append_to(error);
    if (!error.empty()) error += ": ";
    error += problem;
    errors_.push_back(std::move(error));
  }

  Duplicates duplicates_;
  json::Arena arena_;
  std::vector<Element> path_;
  std::vector<std::string> errors_;
};

}  // namespace check

std::string check_typed(const json::Value& value, Place place, Duplicates duplicates) {
  check::Checker checker(duplicates);
  checker.check(value, place);
  return checker.text();
}

}  // namespace proa::api

#pragma once

#include <concepts>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/object/view.h"
#include "api/schema/resource.h"
#include "base/result.h"

namespace proa::api {

// A field selector. Immutable; matching does not allocate.
class FieldSelector {
 public:
  struct Term {
    std::string field;
    std::string value;
    bool equal = true;
    // The position of the value, once the selector is checked against a resource: an index into
    // Resource::selectable, or one of the two below.
    size_t place = 0;

    bool matches(std::string_view found) const { return (found == value) == equal; }
    bool operator==(const Term&) const = default;
  };
  static constexpr size_t kName = SIZE_MAX;           // metadata.name
  static constexpr size_t kNamespace = SIZE_MAX - 1;  // metadata.namespace

  // Matches everything.
  FieldSelector() = default;
  // As LabelSelector's.
  static constexpr size_t kMaxBytes = size_t{256} << 10;
  // "a=b,c!=d"; in values, ',', '=' and '\' are escaped by a backslash. kBadRequest, in upstream's
  // words.
  static Result<FieldSelector> parse(std::string_view text);
  // The same, for selectable fields of this resource; others are kBadRequest.
  static Result<FieldSelector> parse(std::string_view text, const Resource& resource);
  // Checks a parsed selector against the selectable fields of this resource.
  Result<void> bind(const Resource& resource);
  // The selector of a request for one object: metadata.name=NAME.
  static FieldSelector by_name(std::string_view name);

  // `value_of` takes a Term, and returns the object's value: empty if there is none.
  template <std::invocable<const Term&> ValueOf>
  bool matches(ValueOf&& value_of) const {
    for (const Term& term : terms_) {
      if (!term.matches(value_of(term))) return false;
    }
    return true;
  }
  // By name; a missing field is empty.
  bool matches(std::span<const std::pair<std::string_view, std::string_view>> fields) const;

  bool matches_everything() const { return terms_.empty(); }
  // All must match; in text order.
  std::span<const Term> terms() const { return terms_; }
  // The only value that the selector allows for this field, if any: a list by "metadata.name" is a
  // get.
  std::optional<std::string_view> required(std::string_view field) const;
  // In the syntax of parse().
  std::string str() const;

  bool operator==(const FieldSelector&) const = default;

 private:
  std::vector<Term> terms_;
};

// A field's value for selectors: numbers and booleans as text. A missing field of a built-in object
// is the zero of its type ("false", "0").
std::string selectable_value(View object, const Resource& resource, const SelectableField& field);

// The values of all selectable fields, in the resource's order, from an object's text, without
// building a tree. REQUIRES: as Scan.
std::vector<std::string> selectable_values(std::string_view object, const Resource& resource);

}  // namespace proa::api

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

// Which values of fields are wanted. Immutable; matching allocates nothing.
class FieldSelector {
 public:
  struct Term {
    std::string field;
    std::string value;
    bool equal = true;
    // Where the value is found, once the selector was checked against a resource: an index into
    // Resource::selectable, or one of the two below.
    size_t place = 0;

    bool matches(std::string_view found) const { return (found == value) == equal; }
    bool operator==(const Term&) const = default;
  };
  static constexpr size_t kName = SIZE_MAX;           // metadata.name
  static constexpr size_t kNamespace = SIZE_MAX - 1;  // metadata.namespace

  // Matches everything.
  FieldSelector() = default;
  // "a=b,c!=d"; in values, a backslash stands before ',', '=' and '\'. kBadRequest, in upstream's
  // words.
  static Result<FieldSelector> parse(std::string_view text);
  // The same, for fields that this resource can be asked for; others are kBadRequest.
  static Result<FieldSelector> parse(std::string_view text, const Resource& resource);
  // Checks a parsed selector against the fields that this resource can be asked for.
  Result<void> bind(const Resource& resource);
  // What a request for a single object by name is: metadata.name=NAME.
  static FieldSelector by_name(std::string_view name);

  // `value_of` takes a Term, and returns what the object has there: a text, empty if nothing.
  template <std::invocable<const Term&> ValueOf>
  bool matches(ValueOf&& value_of) const {
    for (const Term& term : terms_) {
      if (!term.matches(value_of(term))) return false;
    }
    return true;
  }
  // By name; a field that is not there is empty.
  bool matches(std::span<const std::pair<std::string_view, std::string_view>> fields) const;

  bool matches_everything() const { return terms_.empty(); }
  // All of them must hold; in the order of their text.
  std::span<const Term> terms() const { return terms_; }
  // The only value that this field may have, if the selector says so: a list by "metadata.name" is
  // a get.
  std::optional<std::string_view> required(std::string_view field) const;
  // What parse() takes.
  std::string str() const;

  bool operator==(const FieldSelector&) const = default;

 private:
  std::vector<Term> terms_;
};

// A field in the notation of selectors: numbers and booleans as text. What a built-in object does
// not have is the zero of its type ("false", "0").
std::string selectable_value(View object, const Resource& resource, const SelectableField& field);

// All of a resource's, in its order, out of the text of an object: no tree is made of it. REQUIRES:
// what a Scan requires.
std::vector<std::string> selectable_values(std::string_view object, const Resource& resource);

}  // namespace proa::api

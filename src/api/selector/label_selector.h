#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/object/view.h"
#include "base/result.h"

namespace proa::api {

using LabelPair = std::pair<std::string_view, std::string_view>;

// A label selector. Immutable; matching does not allocate.
class LabelSelector {
 public:
  enum class Operator : uint8_t {
    kIn,
    kNotIn,
    kEquals,
    kDoubleEquals,  // the same, but printed as "=="
    kNotEquals,
    kExists,
    kDoesNotExist,
    kGreaterThan,
    kLessThan,
  };

  struct Requirement {
    std::string key;
    Operator op = Operator::kExists;
    std::vector<std::string> values;  // ascending
    int64_t number = 0;               // of kGreaterThan and kLessThan

    // `value`: null if there is no such label.
    bool matches(const std::string_view* value) const;
    bool operator==(const Requirement&) const = default;
  };

  // Matches everything.
  LabelSelector() = default;
  static LabelSelector nothing();
  // Text in a query is shorter; in the body of a review, a term takes forty times its text.
  static constexpr size_t kMaxBytes = size_t{256} << 10;
  // The syntax of queries: "a=b,c in (d,e),!f,g!=h,i>3". Fails with kBadRequest and upstream's
  // message.
  static Result<LabelSelector> parse(std::string_view text);
  // A metav1.LabelSelector; an absent one matches nothing, an empty one everything. kBadRequest if
  // it is invalid.
  static Result<LabelSelector> from(View selector);
  // A plain map, as in Services and ReplicationControllers; an empty one matches everything. It is
  // not validated.
  static LabelSelector from_map(View labels);

  // REQUIRES: keys differ. In any order.
  bool matches(std::span<const LabelPair> labels) const;
  // `labels`: metadata.labels, or another map of texts.
  bool matches(View labels) const;

  bool matches_everything() const { return !nothing_ && requirements_.empty(); }
  bool matches_nothing() const { return nothing_; }
  // All must match; sorted by key.
  std::span<const Requirement> requirements() const { return requirements_; }
  // In the syntax of parse(); empty for everything, and for nothing.
  std::string str() const;

  bool operator==(const LabelSelector&) const = default;

 private:
  explicit LabelSelector(std::vector<Requirement> requirements);

  std::vector<Requirement> requirements_;
  bool nothing_ = false;
};

}  // namespace proa::api

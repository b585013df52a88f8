#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/object/view.h"
#include "api/schema/model.h"
#include "base/status.h"

namespace proa::api {

// The path of a check: "spec.containers[0].name". A step on the stack that points to its parent, so
// that it is free unless there is an error; therefore a step is never made from a temporary.
// `field("securityContext.runAsUser")` is one step.
class Path {
 public:
  Path() = default;  // the object itself
  explicit Path(std::string_view name) : name_(name) {}

  Path field(std::string_view name) const& { return Path(this, name, Step::kField); }
  Path key(std::string_view name) const& { return Path(this, name, Step::kKey); }
  Path index(size_t number) const& { return Path(this, {}, Step::kIndex, number); }
  Path field(std::string_view) const&& = delete;
  Path key(std::string_view) const&& = delete;
  Path index(size_t) const&& = delete;

  // "<nil>" for the object itself, as upstream.
  std::string str() const;

  // What the schema says about the place, from an object of that type on.
  struct Place {
    const Type* type = nullptr;  // null: it says nothing
    Shape shape = Shape::kSingle;
    bool pointer = false;
  };
  Place find(const Type& root) const;

 private:
  void append_to(std::string& out) const;

  enum class Step : uint8_t { kField, kKey, kIndex };
  Path(const Path* parent, std::string_view name, Step step, size_t number = 0)
      : parent_(parent), name_(name), number_(number), step_(step) {}

  const Path* parent_ = nullptr;
  std::string_view name_;
  size_t number_ = 0;
  Step step_ = Step::kField;
};

// All errors of an object, in upstream's words (field.ErrorList). Unlike upstream's, the list is
// bounded, so that a small body of bad elements does not become an enormous answer: errors beyond
// the limits are only counted, and cost next to nothing.
class FieldErrors {
 public:
  // More than anyone reads. An answer has each text twice, in its message and in its causes.
  static constexpr size_t kMaxCauses = 1'000;
  static constexpr size_t kMaxBytes = size_t{256} << 10;
  // A longer value is cut, so that there is room for what is wrong with it.
  static constexpr size_t kMaxValueBytes = size_t{64} << 10;

  // The type of the object that paths begin with: values in messages look as upstream's types then.
  void about(const Type& root) { root_ = &root; }

  void required(const Path& path, std::string_view detail = {});
  // `value` is printed as JSON: texts with quotes. Absent is "null".
  void invalid(const Path& path, View value, std::string_view detail);
  void invalid(const Path& path, std::string_view value, std::string_view detail);
  void invalid(const Path& path, const char* value, std::string_view detail) {
    invalid(path, std::string_view(value), detail);
  }
  void invalid(const Path& path, int64_t value, std::string_view detail);
  // Of a path that is not in the type of the object, so that it does not say the value's type.
  void invalid(const Path& path, View value, const Type& type, std::string_view detail);
  // `value`: as it is to be printed.
  void invalid_shown(const Path& path, std::string value, std::string_view detail);
  // "null", where upstream has no value to show, rather than an absent one.
  void invalid(const Path& path, std::nullptr_t, std::string_view detail);
  // One error per problem, as returned by the checks of names.h.
  void invalid_each(const Path& path, std::string_view value, std::span<const std::string> details);
  // Without the value, if it is too large to be repeated.
  void invalid_whole(const Path& path, std::string_view detail) {
    if (only_counts()) return;
    add(path, "FieldValueInvalid", "Invalid value: " + std::string(detail));
  }
  // Texts are quoted; `supported` in the order to print.
  void not_supported(const Path& path, std::string_view value,
                     std::span<const std::string_view> supported);
  void not_supported(const Path& path, std::string_view value,
                     std::initializer_list<std::string_view> supported) {
    not_supported(path, value, std::span(supported.begin(), supported.size()));
  }
  // `value` is printed as JSON, whatever the path says of its type.
  void not_supported(const Path& path, View value, std::span<const std::string_view> supported);
  void not_supported(const Path& path, View value,
                     std::initializer_list<std::string_view> supported) {
    not_supported(path, value, std::span(supported.begin(), supported.size()));
  }
  void forbidden(const Path& path, std::string_view detail);
  void duplicate(const Path& path, View value);
  void duplicate(const Path& path, std::string_view value);
  // Without the value, if it is too large to be repeated.
  void duplicate_whole(const Path& path) {
    if (only_counts()) return;
    add(path, "FieldValueDuplicate", "Duplicate value");
  }
  void internal(const Path& path, std::string_view detail);
  void not_found(const Path& path, std::string_view value);
  void too_long(const Path& path, size_t most_bytes);
  void too_many(const Path& path, size_t found, size_t most);
  void too_few(const Path& path, size_t found, size_t least);
  // In the caller's words. `reason`: "FieldValueTypeInvalid".
  void worded(const Path& path, std::string_view reason, std::string message) {
    if (!only_counts()) add(path, reason, std::move(message));
  }

  bool empty() const { return causes_.empty(); }
  // Also those that are only counted.
  size_t size() const { return causes_.size() + unstated_; }
  // Whether further errors are only counted: details that are expensive to word are not needed.
  bool full() const { return causes_.size() >= kMaxCauses || bytes_ >= kMaxBytes; }
  // Errors that the caller did not word. REQUIRES: full().
  void count(size_t more) { unstated_ += more; }
  // Without those that are only counted.
  const std::vector<StatusCause>& causes() const { return causes_; }
  // For tests and messages: "spec.x: Required value", in order; at last "and 12 more".
  std::vector<std::string> texts() const;

  // 422: `Deployment.apps "web" is invalid: spec.x: Required value`; several are in brackets. A
  // repeated error is one part of the message, but two causes. "and 12 more" is both.
  Status to_status(std::string_view group, std::string_view kind, std::string_view name) const;

 private:
  // Counts an error if it is too much to word it.
  bool only_counts() {
    if (!full()) [[likely]]
      return false;
    ++unstated_;
    return true;
  }
  // REQUIRES: not full().
  void add(const Path& path, std::string_view reason, std::string message);
  // "and 12 more".
  std::string rest() const;
  // As upstream prints the value of that field.
  std::string shown(const Path& path, View value) const;

  std::vector<StatusCause> causes_;
  const Type* root_ = nullptr;
  size_t bytes_ = 0;     // of fields and messages
  size_t unstated_ = 0;  // errors beyond the limits
};

}  // namespace proa::api

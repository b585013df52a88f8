#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/object/view.h"
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

// All errors of an object, in upstream's words (field.ErrorList).
class FieldErrors {
 public:
  void required(const Path& path, std::string_view detail = {});
  // `value` is printed as JSON: texts with quotes. Absent is "null".
  void invalid(const Path& path, View value, std::string_view detail);
  void invalid(const Path& path, std::string_view value, std::string_view detail);
  void invalid(const Path& path, const char* value, std::string_view detail) {
    invalid(path, std::string_view(value), detail);
  }
  void invalid(const Path& path, int64_t value, std::string_view detail);
  // One error per problem, as returned by the checks of names.h.
  void invalid_each(const Path& path, std::string_view value, std::span<const std::string> details);
  // Without the value, if it is too large to be repeated.
  void invalid_whole(const Path& path, std::string_view detail) {
    add(path, "FieldValueInvalid", "Invalid value: " + std::string(detail));
  }
  // Texts are quoted; `supported` in the order to print.
  void not_supported(const Path& path, std::string_view value,
                     std::span<const std::string_view> supported);
  void not_supported(const Path& path, std::string_view value,
                     std::initializer_list<std::string_view> supported) {
    not_supported(path, value, std::span(supported.begin(), supported.size()));
  }
  void forbidden(const Path& path, std::string_view detail);
  void duplicate(const Path& path, View value);
  void duplicate(const Path& path, std::string_view value);
  void not_found(const Path& path, std::string_view value);
  void too_long(const Path& path, size_t most_bytes);
  void too_many(const Path& path, size_t found, size_t most);
  void too_few(const Path& path, size_t found, size_t least);

  bool empty() const { return causes_.empty(); }
  size_t size() const { return causes_.size(); }
  const std::vector<StatusCause>& causes() const { return causes_; }
  // For tests and messages: "spec.x: Required value", in order.
  std::vector<std::string> texts() const;

  // 422: `Deployment.apps "web" is invalid: spec.x: Required value`; several are in brackets. A
  // repeated error is one part of the message, but two causes.
  Status to_status(std::string_view group, std::string_view kind, std::string_view name) const;

 private:
  void add(const Path& path, std::string_view reason, std::string message);

  std::vector<StatusCause> causes_;
};

}  // namespace proa::api

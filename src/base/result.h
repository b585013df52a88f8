#pragma once

#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/check.h"
#include "base/status.h"

namespace proa {

// A value, or the Status of the failure.
template <typename T>
class [[nodiscard]] Result {
 public:
  using Value = T;

  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Status status) : state_(std::in_place_index<1>, std::move(status)) {}
  template <typename U>
  requires(std::is_convertible_v<U&&, T> && !std::is_same_v<std::remove_cvref_t<U>, T> &&
           !std::is_same_v<std::remove_cvref_t<U>, Status> &&
           !std::is_same_v<std::remove_cvref_t<U>, Result>) Result(U&& value)
      : state_(std::in_place_index<0>, std::forward<U>(value)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  bool is(Reason reason) const { return !ok() && status().is(reason); }

  // REQUIRES: ok().
  T& value() & {
    CHECK(ok());
    return *std::get_if<0>(&state_);
  }
  const T& value() const& {
    CHECK(ok());
    return *std::get_if<0>(&state_);
  }
  T&& value() && {
    CHECK(ok());
    return std::move(*std::get_if<0>(&state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  // REQUIRES: !ok().
  const Status& status() const {
    CHECK(!ok());
    return *std::get_if<1>(&state_);
  }

 private:
  std::variant<T, Status> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  using Value = void;

  Result() = default;
  Result(Status status) : status_(std::move(status)) {}

  bool ok() const { return !status_.has_value(); }
  explicit operator bool() const { return ok(); }
  bool is(Reason reason) const { return !ok() && status_->is(reason); }
  // REQUIRES: ok().
  void value() const { CHECK(ok()); }
  // REQUIRES: !ok().
  const Status& status() const {
    CHECK(!ok());
    return *status_;
  }

 private:
  std::optional<Status> status_;
};

}  // namespace proa

// The value of a Result; on failure, returns its Status from the enclosing function. Only as a
// whole statement or initialiser: g++ 12 leaks the temporary of a statement expression in a braced
// list.
#define TRY(expression)                                     \
  __extension__({                                           \
    auto&& try_result = (expression);                       \
    if (!try_result.ok()) [[unlikely]]                      \
      return try_result.status();                           \
    std::forward<decltype(try_result)>(try_result).value(); \
  })

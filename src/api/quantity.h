#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace proa::api {

// The notation of a quantity. Arithmetic keeps that of the left operand.
enum class QuantityFormat : uint8_t {
  kDecimalSi,        // 12M
  kBinarySi,         // 12Mi
  kDecimalExponent,  // 12e6
};

// An amount of a resource: Kubernetes' resource.Quantity, exact to a nano, parsed and printed as
// upstream does. Amounts beyond 10^28 (ten billion exa) are clamped.
class Quantity {
 public:
  // Zero.
  Quantity() = default;
  explicit Quantity(int64_t value, QuantityFormat format = QuantityFormat::kDecimalSi);
  static Quantity milli(int64_t value, QuantityFormat format = QuantityFormat::kDecimalSi);

  // Fractions of a nano are rounded up, away from zero; binary amounts stop at 2^63 - 1. Failures
  // are kBadRequest, in upstream's words.
  static Result<Quantity> parse(std::string_view text);

  // The canonical form: no fraction, the largest possible suffix. A parsed text that upstream
  // treats as canonical is returned unchanged.
  std::string str() const;

  // Rounded up, away from zero; clamped to int64.
  int64_t value() const;
  int64_t milli_value() const;
  // The same amount in thousandths, rounded up, away from zero; not clamped.
  Quantity rounded_to_milli() const;
  double approximate() const;

  QuantityFormat format() const { return format_; }
  bool is_zero() const { return nanos_ == 0; }
  int sign() const { return nanos_ == 0 ? 0 : nanos_ < 0 ? -1 : 1; }

  Quantity& operator+=(const Quantity& other);
  Quantity& operator-=(const Quantity& other);
  Quantity& operator*=(int64_t factor);
  Quantity operator-() const;
  friend Quantity operator+(Quantity a, const Quantity& b) { return a += b; }
  friend Quantity operator-(Quantity a, const Quantity& b) { return a -= b; }

  // By amount; the notation does not matter.
  bool operator==(const Quantity& other) const { return nanos_ == other.nanos_; }
  std::strong_ordering operator<=>(const Quantity& other) const { return nanos_ <=> other.nanos_; }

 private:
  __extension__ using Nanos = __int128;

  Quantity(Nanos nanos, QuantityFormat format) : nanos_(nanos), format_(format) {}
  void add(Nanos nanos, const Quantity& other);

  Nanos nanos_ = 0;
  QuantityFormat format_ = QuantityFormat::kDecimalSi;
  std::string text_;  // as parsed, if that is the printed form
};

}  // namespace proa::api

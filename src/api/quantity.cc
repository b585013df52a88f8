#include "api/quantity.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "base/strings.h"

namespace proa::api {
namespace quantity {

__extension__ using Nanos = __int128;

constexpr int kNanoDigits = 9;
constexpr Nanos kNano = 1'000'000'000;

constexpr Nanos power_of_ten(int exponent) {
  Nanos power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;
  return power;
}

// The largest amount: a round number that leaves room for one addition in 128 bits.
constexpr int kMaxDigits = 37;
constexpr Nanos kMost = power_of_ten(kMaxDigits);
constexpr Nanos kMaxBinary = static_cast<Nanos>(std::numeric_limits<int64_t>::max()) * kNano;

Nanos clamp(Nanos nanos) { return std::clamp(nanos, -kMost, kMost); }

struct Suffix {
  std::string_view text;
  int exponent;  // of ten or of two
};

constexpr std::array kDecimal{
    Suffix{"n", -9}, Suffix{"u", -6}, Suffix{"m", -3}, Suffix{"", 0},   Suffix{"k", 3},
    Suffix{"M", 6},  Suffix{"G", 9},  Suffix{"T", 12}, Suffix{"P", 15}, Suffix{"E", 18},
};
constexpr std::array kBinary{
    Suffix{"Ki", 10}, Suffix{"Mi", 20}, Suffix{"Gi", 30},
    Suffix{"Ti", 40}, Suffix{"Pi", 50}, Suffix{"Ei", 60},
};

struct Scale {
  QuantityFormat format;
  int exponent;
};

// Exponents beyond this give zero or the largest amount, whatever the digits: a text is shorter.
constexpr int64_t kMaxExponent = 1'000'000'000;

std::optional<Scale> interpret(std::string_view suffix) {
  for (const auto& known : kDecimal) {
    if (known.text == suffix) return Scale{QuantityFormat::kDecimalSi, known.exponent};
  }
  for (const auto& known : kBinary) {
    if (known.text == suffix) return Scale{QuantityFormat::kBinarySi, known.exponent};
  }
  if (suffix.size() < 2 || (suffix[0] != 'e' && suffix[0] != 'E')) return std::nullopt;
  suffix.remove_prefix(1);
  if (suffix.starts_with('+')) {
    suffix.remove_prefix(1);
    if (suffix.starts_with('-')) return std::nullopt;
  }
  const auto exponent = parse_int(suffix);
  if (!exponent) return std::nullopt;
  return Scale{QuantityFormat::kDecimalExponent,
               static_cast<int>(std::clamp(*exponent, -kMaxExponent, kMaxExponent))};
}

struct Parts {
  bool negative = false;
  std::string_view whole;     // digits before the point, without leading zeros
  std::string_view fraction;  // digits after it
  std::string_view suffix;
};

// Nullopt if upstream rejects the format. Digits may be missing ("-", ".Ki"): upstream reads that
// as zero.
std::optional<Parts> split_text(std::string_view text) {
  Parts parts;
  const auto take = [&](std::string_view characters) {
    const size_t end = std::min(text.find_first_not_of(characters), text.size());
    const std::string_view taken = text.substr(0, end);
    text.remove_prefix(end);
    return taken;
  };
  constexpr std::string_view kDigits = "0123456789";
  parts.negative = text.starts_with('-');
  if (parts.negative || text.starts_with('+')) text.remove_prefix(1);
  take("0");
  parts.whole = take(kDigits);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    parts.fraction = take(kDigits);
  }
  parts.suffix = text;
  take("eEinumkKMGTP");
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  take(kDigits);
  if (!text.empty()) return std::nullopt;
  return parts;
}

// Adds digits to a number, tracking whether a remainder was lost.
struct Accumulator {
  Nanos number = 0;
  bool inexact = false;
  bool beyond = false;

  void digit(int value) {
    if (number > (kMost - value) / 10) {
      beyond = true;
    } else {
      number = number * 10 + value;
    }
  }
  // Rounded away from zero.
  Nanos result() const { return beyond ? kMost : inexact ? number + 1 : number; }
};

// The digits times ten to the exponent, in nanos.
Nanos decimal_nanos(const Parts& parts, int64_t exponent) {
  Accumulator sum;
  // The number of leading digits at or above a nano; there may be fewer digits.
  int64_t kept = static_cast<int64_t>(parts.whole.size()) + exponent + kNanoDigits;
  const auto add = [&](std::string_view digits) {
    for (const char c : digits) {
      if (kept-- > 0) {
        sum.digit(c - '0');
      } else if (c != '0') {
        sum.inexact = true;
      }
    }
  };
  add(parts.whole);
  add(parts.fraction);
  for (; kept > 0 && sum.number != 0 && !sum.beyond; --kept) sum.digit(0);
  return sum.result();
}

// Digits, times 1024 as often as said.
std::string multiply(std::string digits, int times) {
  for (; times > 0; --times) {
    int carry = 0;
    for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
      carry += (*digit - '0') * 1024;
      *digit = static_cast<char>('0' + carry % 10);
      carry /= 10;
    }
    if (carry > 0) digits.insert(0, std::to_string(carry));
  }
  return digits;
}

Nanos binary_nanos(const Parts& parts, int power) {
  const std::string digits =
      multiply(std::string(parts.whole) + std::string(parts.fraction), power / 10);
  Parts product;
  product.whole = std::string_view(digits).substr(0, digits.size() - parts.fraction.size());
  product.fraction = std::string_view(digits).substr(product.whole.size());
  return std::min(decimal_nanos(product, 0), kMaxBinary);
}

// Whether upstream's ParseQuantity caches the text and prints it unchanged: on its fast path, if
// the text looks canonical, even with a '+', a leading zero or an 'E'.
bool is_remembered(const Parts& parts, const Scale& scale) {
  constexpr int kQuickDigits = 18;
  const std::string digits =
      std::string(parts.whole.empty() ? "0" : parts.whole) + std::string(parts.fraction);
  const int length = static_cast<int>(std::min<size_t>(digits.size(), 100));
  if (scale.format == QuantityFormat::kBinarySi) {
    if (!parts.fraction.empty() || 15 - length - scale.exponent * 3 / 10 - 1 < 0) return false;
    return *parse_int(digits) % 8 != 0;
  }
  if (length > kQuickDigits) return false;
  const int exponent = scale.exponent - static_cast<int>(parts.fraction.size());
  return exponent >= -kNanoDigits && exponent % 3 == 0 && !digits.ends_with("000") &&
         digits[0] != '0';
}

std::string to_string(Nanos number) {
  std::string digits;
  // Digit by digit on negative numbers, whose range is larger.
  for (Nanos rest = number < 0 ? number : -number; rest != 0 || digits.empty(); rest /= 10) {
    digits += static_cast<char>('0' - static_cast<int>(rest % 10));
  }
  if (number < 0) digits += '-';
  std::reverse(digits.begin(), digits.end());
  return digits;
}

std::string print_decimal(Nanos nanos, QuantityFormat format) {
  // Exponents of ten have no largest one; suffixes end at exa.
  const int most = format == QuantityFormat::kDecimalSi ? kDecimal.back().exponent : kMaxDigits;
  int exponent = -kNanoDigits;
  for (; nanos % 1000 == 0 && exponent < most; exponent += 3) nanos /= 1000;
  std::string text = to_string(nanos);
  if (format == QuantityFormat::kDecimalSi) {
    text += kDecimal[static_cast<size_t>((exponent + kNanoDigits) / 3)].text;
  } else if (exponent != 0) {
    text += 'e' + std::to_string(exponent);
  }
  return text;
}

// REQUIRES: whole units, at least 1024 of them.
std::string print_binary(Nanos units) {
  std::string_view suffix;
  for (const auto& next : kBinary) {
    if (units % 1024 != 0) break;
    units /= 1024;
    suffix = next.text;
  }
  return to_string(units) + std::string(suffix);
}

// Rounded away from zero, within int64.
int64_t round_up(Nanos nanos, Nanos unit) {
  Nanos whole = nanos / unit;
  if (nanos % unit != 0) whole += nanos < 0 ? -1 : 1;
  return static_cast<int64_t>(std::clamp<Nanos>(whole, std::numeric_limits<int64_t>::min(),
                                                std::numeric_limits<int64_t>::max()));
}

}  // namespace quantity

Quantity::Quantity(int64_t value, QuantityFormat format)
    : Quantity(static_cast<Nanos>(value) * quantity::kNano, format) {}

Quantity Quantity::milli(int64_t value, QuantityFormat format) {
  return {static_cast<Nanos>(value) * (quantity::kNano / 1000), format};
}

Result<Quantity> Quantity::parse(std::string_view text) {
  const auto parts = quantity::split_text(text);
  if (text.empty() || !parts) {
    return Status(Reason::kBadRequest,
                  "quantities must match the regular expression "
                  "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  }
  const auto scale = quantity::interpret(parts->suffix);
  if (!scale) return Status(Reason::kBadRequest, "unable to parse quantity's suffix");

  const bool binary = scale->format == QuantityFormat::kBinarySi;
  const Nanos nanos = binary ? quantity::binary_nanos(*parts, scale->exponent)
                             : quantity::clamp(quantity::decimal_nanos(*parts, scale->exponent));
  Quantity result(parts->negative ? -nanos : nanos, scale->format);
  if (quantity::is_remembered(*parts, *scale)) result.text_ = text;
  // Binary suffixes cannot represent fractions.
  if (binary && nanos > 0 && nanos < quantity::kNano) result.format_ = QuantityFormat::kDecimalSi;
  return result;
}

std::string Quantity::str() const {
  if (is_zero()) return "0";
  if (!text_.empty()) return text_;
  if (format_ == QuantityFormat::kBinarySi) {
    const Nanos units = nanos_ / quantity::kNano;
    if ((units >= 1024 || units <= -1024) && nanos_ % quantity::kNano == 0) {
      return quantity::print_binary(units);
    }
    return quantity::print_decimal(nanos_, QuantityFormat::kDecimalSi);
  }
  return quantity::print_decimal(nanos_, format_);
}

int64_t Quantity::value() const { return quantity::round_up(nanos_, quantity::kNano); }

int64_t Quantity::milli_value() const { return quantity::round_up(nanos_, quantity::kNano / 1000); }

Quantity Quantity::rounded_to_milli() const {
  constexpr Nanos kMilli = quantity::kNano / 1000;
  const Nanos rest = nanos_ % kMilli;
  if (rest == 0) return *this;
  return {nanos_ - rest + (nanos_ < 0 ? -kMilli : kMilli), format_};
}

double Quantity::approximate() const { return static_cast<double>(nanos_) / 1e9; }

void Quantity::add(Nanos nanos, const Quantity& other) {
  if (is_zero()) format_ = other.format_;
  nanos_ = quantity::clamp(nanos_ + nanos);
  text_.clear();
}

Quantity& Quantity::operator+=(const Quantity& other) {
  add(other.nanos_, other);
  return *this;
}

Quantity& Quantity::operator-=(const Quantity& other) {
  add(-other.nanos_, other);
  return *this;
}

Quantity& Quantity::operator*=(int64_t factor) {
  Nanos product = 0;
  if (__builtin_mul_overflow(nanos_, static_cast<Nanos>(factor), &product)) {
    product = (nanos_ < 0) == (factor < 0) ? quantity::kMost : -quantity::kMost;
  }
  nanos_ = quantity::clamp(product);
  text_.clear();
  return *this;
}

Quantity Quantity::operator-() const { return {-nanos_, format_}; }

}  // namespace proa::api

#include "api/quantity.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace proa::api {
namespace quantity_test {

Quantity q(std::string_view text) {
  const auto parsed = Quantity::parse(text);
  EXPECT_TRUE(parsed.ok()) << text;
  return parsed.ok() ? *parsed : Quantity();
}

TEST(Quantity, PrintsWhatUpstreamPrints) {
  const struct {
    const char* text;
    const char* printed;
  } cases[] = {
      {"0", "0"},
      {"0Ki", "0"},
      {"-0m", "0"},
      {"100m", "100m"},
      {"1000m", "1"},
      {"1500m", "1500m"},
      {"0.1", "100m"},
      {"0.5", "500m"},
      {"1.5", "1500m"},
      {".001", "1m"},
      {"1.", "1."},
      {"1.0G", "1G"},
      {"1000", "1k"},
      {"1024", "1024"},
      {"1500", "1500"},
      {"1000000", "1M"},
      {"100.035k", "100.035k"},
      {"100.0350k", "100035"},
      {"12E", "12E"},
      {"1000E", "1000E"},
      {"1Ki", "1Ki"},
      {"1024Ki", "1Mi"},
      {"8Ki", "8Ki"},
      {"1.5Gi", "1536Mi"},
      {"0.5Mi", "512Ki"},
      {"0.5Ki", "512"},
      {"100.035Ki", "102435840m"},
      {"0.000000000001Ki", "2n"},
      {"9Ei", "9223372036854775807"},
      {"-9Ei", "-9223372036854775807"},
      {"9223372036854775807Ki", "9223372036854775807"},
      {"7Ei", "7Ei"},
      {"1e3", "1e3"},
      {"1E3", "1E3"},
      {"1E+3", "1E+3"},
      {"1.2e3", "1200"},
      {"1000e3", "1e6"},
      {"1e4", "10e3"},
      {"5e-1", "500e-3"},
      {"1e0", "1e0"},
      {"1.1E-9", "2e-9"},
      {"3.001n", "4n"},
      {"-3.001n", "-4n"},
      {"0.00000012345", "124n"},
      {"0.0000000001", "1n"},
      {"1e-400", "1e-9"},
      {"+1", "+1"},
      {"0100", "0100"},
      {"-1Mi", "-1Mi"},
      {"12345678901234567890", "12345678901234567890"},
      {"-12345678901234567890.5", "-12345678901234567890500m"},
  };
  for (const auto& c : cases) EXPECT_EQ(q(c.text).str(), c.printed) << c.text;
}

TEST(Quantity, KeepsItsFormat) {
  EXPECT_EQ(q("1Ki").format(), QuantityFormat::kBinarySi);
  EXPECT_EQ(q("0Ki").format(), QuantityFormat::kBinarySi);
  EXPECT_EQ(q("1k").format(), QuantityFormat::kDecimalSi);
  EXPECT_EQ(q("1e3").format(), QuantityFormat::kDecimalExponent);
  EXPECT_EQ(q("1E").format(), QuantityFormat::kDecimalSi);
  EXPECT_EQ(q("0.0001Ki").format(), QuantityFormat::kDecimalSi);
}

TEST(Quantity, RefusesWhatUpstreamRefuses) {
  constexpr const char* kFormat =
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
  constexpr const char* kSuffix = "unable to parse quantity's suffix";
  const struct {
    const char* text;
    const char* message;
  } cases[] = {
      {"", kFormat},        {"1.1.M", kFormat}, {"1+1.0M", kFormat},
      {"0.1mi", kSuffix},   {"0.1am", kFormat}, {"aoeu", kFormat},
      {".5i", kSuffix},     {"1i", kSuffix},    {"-3.01i", kSuffix},
      {"-3.01e-", kSuffix}, {" 1", kFormat},    {"1 ", kFormat},
      {"1e", kSuffix},      {"1K", kSuffix},    {"1ki", kSuffix},
      {"1e+-3", kFormat},   {"1Kii", kSuffix},  {"0x10", kFormat},
      {"--1", kSuffix},     {"1,5", kFormat},   {"1e99999999999999999999", kSuffix},
      {"1m5", kSuffix},
  };
  for (const auto& c : cases) {
    const auto parsed = Quantity::parse(c.text);
    ASSERT_FALSE(parsed.ok()) << c.text;
    EXPECT_EQ(parsed.status().message(), c.message) << c.text;
  }
}

TEST(Quantity, NoDigitsAreZeroAsUpstreamHasIt) {
  for (const char* text : {"-", "+", ".", "m", "Ki", "-.", "e3"})
    EXPECT_TRUE(q(text).is_zero()) << text;
}

TEST(Quantity, RoundsValuesUp) {
  EXPECT_EQ(q("1").value(), 1);
  EXPECT_EQ(q("1m").value(), 1);
  EXPECT_EQ(q("1001m").value(), 2);
  EXPECT_EQ(q("-1001m").value(), -2);
  EXPECT_EQ(q("1n").milli_value(), 1);
  EXPECT_EQ(q("0.5").milli_value(), 500);
  EXPECT_EQ(q("1Gi").value(), 1073741824);
  EXPECT_EQ(q("9Ei").value(), INT64_MAX);
  EXPECT_EQ(q("100E").value(), INT64_MAX);
  EXPECT_EQ(q("-100E").value(), INT64_MIN);
  EXPECT_EQ(q("10E").milli_value(), INT64_MAX);
  EXPECT_DOUBLE_EQ(q("1500m").approximate(), 1.5);
  EXPECT_EQ(q("1n").rounded_to_milli().str(), "1m");
  EXPECT_EQ(q("-1u").rounded_to_milli().str(), "-1m");
  EXPECT_EQ(q("1.0000001").rounded_to_milli().str(), "1001m");
  EXPECT_EQ(q("5E").rounded_to_milli().str(), "5E");
  EXPECT_EQ(q("1.5").rounded_to_milli().str(), "1500m");
}

TEST(Quantity, ComparesByAmount) {
  EXPECT_EQ(q("1024Ki"), q("1Mi"));
  EXPECT_EQ(q("1000m"), q("1"));
  EXPECT_LT(q("999m"), q("1"));
  EXPECT_GT(q("10000T"), q("100Gi"));
  EXPECT_LT(q("-1"), q("0"));
  EXPECT_GT(q("1n"), q("0"));
}

TEST(Quantity, AddsAndSubtractsExactly) {
  EXPECT_EQ((q("1Gi") + q("512Mi")).str(), "1536Mi");
  EXPECT_EQ((q("100m") + q("0.9")).str(), "1");
  EXPECT_EQ((q("1") - q("1n")).str(), "999999999n");
  EXPECT_EQ((q("0") + q("1Gi")).str(), "1Gi");
  EXPECT_EQ((q("0") - q("1Gi")).str(), "-1Gi");
  EXPECT_EQ((q("1Gi") + q("0")).str(), "1Gi");
  EXPECT_EQ((q("1Gi") - q("1Gi")).str(), "0");
  EXPECT_EQ((-q("100m")).str(), "-100m");
  EXPECT_EQ((Quantity(1500) + Quantity::milli(500)).str(), "1500500m");
  Quantity third = q("100m");
  third *= 30;
  EXPECT_EQ(third.str(), "3");
}

TEST(Quantity, SaturatesInsteadOfOverflowing) {
  const Quantity most = q("1e1000");
  EXPECT_EQ(most, q("10000000000E"));
  EXPECT_EQ(most + most, most);
  EXPECT_EQ((-most) - most, -most);
  EXPECT_EQ(most, q("999999999999999999999999999999999999999999999999999"));
  Quantity product = most;
  product *= INT64_MIN;
  EXPECT_EQ(product, -most);
  EXPECT_EQ(q("1e-1000000000000"), q("1n"));
  EXPECT_EQ(q("0e1000000000000"), q("0"));
  EXPECT_EQ((most + most).str(), "10e27");
}

TEST(Quantity, ReadsBackWhatItPrints) {
  SeededRandom random(5);
  const char* const suffixes[] = {"n", "u",  "m",  "",   "k",  "M",  "G",  "T",  "P",
                                  "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e3", "e-5"};
  for (int i = 0; i < 20'000; ++i) {
    std::string text = random.below(2) == 0 ? "-" : "";
    text += std::to_string(random.next() >> random.below(64));
    if (random.below(2) == 0) text += "." + std::to_string(random.next() >> random.below(64));
    text += suffixes[random.below(std::size(suffixes))];
    const Quantity first = q(text);
    const Quantity second = q(first.str());
    ASSERT_EQ(first, second) << text << " " << first.str();
    ASSERT_EQ(first.str(), second.str()) << text;
  }
}

}  // namespace quantity_test
}  // namespace proa::api

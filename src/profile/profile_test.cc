#include "profile/profile.h"

#include <gtest/gtest.h>

#include <map>

#include "api/codec/protobuf/wire.h"

extern "C" __attribute__((noinline)) int proa_outer_for_test(int value) { return value + 2; }
extern "C" __attribute__((noinline)) int proa_inner_for_test(int value) { return value + 3; }

namespace proa::profile {
namespace {

// The fields of a message, by number.
using Fields = std::multimap<uint32_t, api::WireField>;

Fields fields_of(std::string_view message) {
  Fields fields;
  api::WireReader reader(message);
  api::WireField field;
  while (reader.next(field)) fields.emplace(field.number, field);
  EXPECT_TRUE(reader.done()) << reader.error();
  return fields;
}

std::vector<std::string_view> messages(const Fields& fields, uint32_t number) {
  std::vector<std::string_view> found;
  const auto [begin, end] = fields.equal_range(number);
  for (auto field = begin; field != end; ++field) found.push_back(field->second.bytes);
  return found;
}

uint64_t number(const Fields& fields, uint32_t field) {
  const auto found = fields.find(field);
  return found == fields.end() ? 0 : found->second.value;
}

std::vector<uint64_t> packed(const Fields& fields, uint32_t field) {
  std::vector<uint64_t> numbers;
  api::WireReader reader(fields.find(field)->second.bytes);
  uint64_t value = 0;
  while (!reader.done() && reader.next_varint(value)) numbers.push_back(value);
  return numbers;
}

// A decoded profile: the names of the functions of each sample, the innermost first.
struct Decoded {
  explicit Decoded(std::string_view message) : all(fields_of(message)), texts(messages(all, 6)) {}

  std::string names_of(const Fields& sample) const {
    std::string names;
    for (const uint64_t id : packed(sample, 1)) {
      const Fields location = fields_of(messages(all, 4)[id - 1]);
      EXPECT_EQ(number(location, 1), id);
      if (!location.contains(4)) {
        names += "? ";
        continue;
      }
      const uint64_t function = number(fields_of(messages(location, 4)[0]), 1);
      names += std::string(texts[number(fields_of(messages(all, 5)[function - 1]), 2)]) + " ";
    }
    return names;
  }

  const Fields all;
  const std::vector<std::string_view> texts;
};

Profile example() {
  const auto outer = reinterpret_cast<uint64_t>(&proa_outer_for_test);
  const auto inner = reinterpret_cast<uint64_t>(&proa_inner_for_test);
  return {
      .types = {{"samples", "count"}, {"cpu", "nanoseconds"}},
      .samples = {{{inner, outer}, {3, 30'000'000}}, {{outer}, {1, 10'000'000}}, {{8}, {2, 20}}},
      .period_type = {"cpu", "nanoseconds"},
      .period = 10'000'000,
      .begin = Time(std::chrono::seconds(1767366245)),
      .duration = std::chrono::seconds(2),
      .comments = {"7 samples were lost"}};
}

TEST(EncodeProfile, StatesStacksAndValues) {
  FunctionNames names(loaded_code());
  const std::string bytes = encode_profile(example(), names);
  const Decoded decoded(bytes);
  EXPECT_EQ(decoded.texts.at(0), "") << "the first text is empty, by pprof's rule";
  const auto samples = messages(decoded.all, 2);
  ASSERT_EQ(samples.size(), 3u);
  EXPECT_EQ(decoded.names_of(fields_of(samples[0])), "proa_inner_for_test proa_outer_for_test ");
  EXPECT_EQ(packed(fields_of(samples[0]), 2), (std::vector<uint64_t>{3, 30'000'000}));
  EXPECT_EQ(decoded.names_of(fields_of(samples[1])), "proa_outer_for_test ");
  EXPECT_EQ(decoded.names_of(fields_of(samples[2])), "? ") << "no code has this address";
}

TEST(EncodeProfile, StatesWhatTheNumbersMean) {
  FunctionNames names(loaded_code());
  const std::string bytes = encode_profile(example(), names);
  const Decoded decoded(bytes);
  const auto type_of = [&](std::string_view message) {
    const Fields type = fields_of(message);
    return std::string(decoded.texts[number(type, 1)]) + "/" +
           std::string(decoded.texts[number(type, 2)]);
  };
  const auto types = messages(decoded.all, 1);
  ASSERT_EQ(types.size(), 2u);
  EXPECT_EQ(type_of(types[0]), "samples/count");
  EXPECT_EQ(type_of(types[1]), "cpu/nanoseconds");
  EXPECT_EQ(type_of(messages(decoded.all, 11).at(0)), "cpu/nanoseconds");
  EXPECT_EQ(number(decoded.all, 12), 10'000'000u);
  EXPECT_EQ(number(decoded.all, 9), 1767366245'000'000'000u);
  EXPECT_EQ(number(decoded.all, 10), 2'000'000'000u);
  EXPECT_EQ(decoded.texts[number(decoded.all, 13)], "7 samples were lost");
}

TEST(EncodeProfile, MapsAddressesToFiles) {
  FunctionNames names(loaded_code());
  const std::string bytes = encode_profile(example(), names);
  const Decoded decoded(bytes);
  const auto mappings = messages(decoded.all, 3);
  ASSERT_EQ(mappings.size(), names.code().size());
  const Fields program = fields_of(mappings[0]);
  const auto here = reinterpret_cast<uint64_t>(&proa_outer_for_test);
  EXPECT_LE(number(program, 2), here);
  EXPECT_GT(number(program, 3), here);
  EXPECT_EQ(decoded.texts[number(program, 5)], names.code()[0].file);
  EXPECT_EQ(number(program, 7), 1u) << "its functions are named";
  EXPECT_EQ(number(fields_of(mappings.back()), 7), 0u);
}

}  // namespace
}  // namespace proa::profile

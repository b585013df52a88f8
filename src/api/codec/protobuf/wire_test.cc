#include "api/codec/protobuf/wire.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/encoding.h"

namespace proa::api {
namespace {

TEST(ReverseWriter, WritesWhatTheReaderReads) {
  for (const uint64_t value : {uint64_t{0}, uint64_t{1}, uint64_t{127}, uint64_t{128},
                               uint64_t{1} << 35, std::numeric_limits<uint64_t>::max()}) {
    ReverseWriter writer;
    writer.varint_field(16, value);
    const std::string bytes = writer.take();
    WireReader reader(bytes);
    WireField field;
    ASSERT_TRUE(reader.next(field));
    EXPECT_EQ(field.number, 16);
    EXPECT_EQ(field.value, value);
    EXPECT_TRUE(reader.done());
  }
}

TEST(ReverseWriter, GrowsInFrontOfWhatIsThere) {
  ReverseWriter writer;
  const std::string large(5000, 'x');
  writer.bytes_field(2, large);
  writer.bytes_field(1, "a");
  const std::string bytes = writer.take();
  WireReader reader(bytes);
  WireField field;
  ASSERT_TRUE(reader.next(field));
  EXPECT_EQ(field.bytes, "a");
  ASSERT_TRUE(reader.next(field));
  EXPECT_EQ(field.bytes, large);
  EXPECT_FALSE(reader.next(field));
  EXPECT_TRUE(reader.error().empty());
}

struct Case {
  const char* name;
  const char* hex;
  const char* error;
};

TEST(WireReader, SaysWhatIsWrong) {
  const Case cases[] = {
      {"ends in a tag", "8a", "unexpected EOF"},
      {"ends in a varint", "0880", "unexpected EOF"},
      {"ends in a text", "0a05616263", "unexpected EOF"},
      {"ends in a fixed64", "0900000000", "unexpected EOF"},
      {"ends in a fixed32", "0d0000", "unexpected EOF"},
      {"a length beyond everything", "0affffffffffffffffff01", "unexpected EOF"},
      {"a varint of eleven bytes", "08ffffffffffffffffffff01", "proto: integer overflow"},
      {"field zero", "0000", "proto: illegal tag"},
      {"a field number of thirty bits", "8080808010", "proto: illegal tag"},
      {"an unknown wire type", "0e00", "proto: illegal wireType"},
      {"the end of no group", "0c", "proto: unexpected end of group"},
      {"a group that does not end", "0b0800", "unexpected EOF"},
      {"a group that ends as another", "0b14", "proto: unexpected end of group"},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    const std::string bytes = *from_hex(one.hex);
    WireReader reader(bytes);
    WireField field;
    while (reader.next(field)) {
    }
    EXPECT_EQ(reader.error(), one.error);
  }
}

TEST(WireReader, SkipsGroupsHoweverDeep) {
  std::string bytes(100'000, '\x0b');
  bytes += std::string(100'000, '\x0c');
  bytes += "\x10\x05";
  WireReader reader(bytes);
  WireField field;
  ASSERT_TRUE(reader.next(field));
  EXPECT_EQ(field.type, WireType::kGroup);
  ASSERT_TRUE(reader.next(field));
  EXPECT_EQ(field.value, 5);
  EXPECT_TRUE(reader.done());
}

}  // namespace
}  // namespace proa::api

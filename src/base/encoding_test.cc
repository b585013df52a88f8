#include "base/encoding.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace proa {
namespace encoding_test {

TEST(Base64, MatchesTheExamplesOfRfc4648) {
  const struct {
    const char* bytes;
    const char* standard;
    const char* url;
  } cases[] = {
      {"", "", ""},
      {"f", "Zg==", "Zg"},
      {"fo", "Zm8=", "Zm8"},
      {"foo", "Zm9v", "Zm9v"},
      {"foob", "Zm9vYg==", "Zm9vYg"},
      {"fooba", "Zm9vYmE=", "Zm9vYmE"},
      {"foobar", "Zm9vYmFy", "Zm9vYmFy"},
      {"\xFB\xFF\xBF", "+/+/", "-_-_"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(to_base64(c.bytes), c.standard);
    EXPECT_EQ(to_base64_url(c.bytes), c.url);
    EXPECT_EQ(from_base64(c.standard), c.bytes);
    EXPECT_EQ(from_base64_url(c.url), c.bytes);
  }
}

TEST(Base64, IsStrict) {
  for (const char* text : {"Z", "Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "Z===", "====", "Zm9v\n",
                           " Zm9v", "Zm=v", "-_-_", "Zg==Zg=="}) {
    EXPECT_EQ(from_base64(text), std::nullopt) << text;
  }
  for (const char* text : {"Z", "Zg==", "Zh", "+/+/", "Zm 9"}) {
    EXPECT_EQ(from_base64_url(text), std::nullopt) << text;
  }
}

TEST(Encoding, GivesBackWhatWasPutIn) {
  SeededRandom random(1);
  for (size_t length = 0; length < 100; ++length) {
    std::string bytes(length, '\0');
    random.fill({reinterpret_cast<unsigned char*>(bytes.data()), length});
    EXPECT_EQ(from_base64(to_base64(bytes)), bytes);
    EXPECT_EQ(from_base64_url(to_base64_url(bytes)), bytes);
    EXPECT_EQ(from_hex(to_hex(bytes)), bytes);
  }
}

TEST(Hex, ReadsEitherCaseAndNothingElse) {
  EXPECT_EQ(to_hex("\x01\xAB\xFF"), "01abff");
  EXPECT_EQ(from_hex("01aBFf"), "\x01\xAB\xFF");
  for (const char* text : {"0", "0g", "0x", " 0", "-1"})
    EXPECT_EQ(from_hex(text), std::nullopt) << text;
}

}  // namespace encoding_test
}  // namespace proa

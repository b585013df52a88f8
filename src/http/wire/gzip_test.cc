#include "http/wire/gzip.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include "base/random.h"

namespace proa::http {
namespace gzip_test {

std::string unzip(std::string_view zipped, size_t expected) {
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  std::string out(expected + 1, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(zipped.data()));
  stream.avail_in = static_cast<uInt>(zipped.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  EXPECT_EQ(stream.avail_in, 0U);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

TEST(Gzip, IsReadBackAsItWas) {
  std::string noise(300'000, '\0');
  SeededRandom random(1);
  random.fill({reinterpret_cast<unsigned char*>(noise.data()), noise.size()});
  for (const std::string& body :
       {std::string(), std::string("a"), std::string(1 << 20, 'x'), noise}) {
    EXPECT_EQ(unzip(gzip(body), body.size()), body);
  }
}

TEST(Gzip, MakesRepetitiveTextSmall) { EXPECT_LT(gzip(std::string(1 << 20, 'x')).size(), 10'000U); }

}  // namespace gzip_test
}  // namespace proa::http

#include "http/wire/spdy_codec.h"

#include <gtest/gtest.h>
#include <zlib.h>

namespace proa::http {
namespace {

using namespace std::string_literals;

class SpdyCodecTest : public testing::Test, protected SpdyCodec::Events {
 protected:
  // The events of `bytes`, fed in pieces of that size: "1:data 1:end".
  std::string receive(std::string_view bytes, size_t step = 1000) {
    told_.clear();
    last_ = 0;
    for (size_t i = 0; i < bytes.size(); i += step) {
      const Result<void> received = codec.receive(bytes.substr(i, step));
      if (!received.ok()) return told_ + "failed: " + received.status().message();
    }
    return told_;
  }

  SpdyCodec codec{*this};

 private:
  void add(const std::string& what) { told_ += (told_.empty() ? "" : " ") + what; }
  void on_data(uint32_t stream, std::string_view bytes) override {
    if (stream == last_) {
      told_ += bytes;
    } else {
      add(std::to_string(stream) + ":" + std::string(bytes));
    }
    last_ = stream;
  }
  void on_end(uint32_t stream) override {
    add(std::to_string(stream) + ":end");
    last_ = 0;
  }

  std::string told_;
  uint32_t last_ = 0;
};

// One after the other through one inflater, as a peer does it.
class Inflater {
 public:
  Inflater() { EXPECT_EQ(inflateInit(&stream_), Z_OK); }
  ~Inflater() { inflateEnd(&stream_); }
  std::string operator()(std::string bytes) {
    std::string out(1000, '\0');
    stream_.next_in = reinterpret_cast<Bytef*>(bytes.data());
    stream_.avail_in = static_cast<uInt>(bytes.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out.size());
    EXPECT_EQ(inflate(&stream_, Z_SYNC_FLUSH), Z_OK);
    EXPECT_EQ(stream_.avail_in, 0U);
    out.resize(out.size() - stream_.avail_out);
    return out;
  }

 private:
  z_stream stream_{};
};

TEST_F(SpdyCodecTest, OpensStreams) {
  EXPECT_EQ(codec.open({{"streamtype", "error"}}), 1U);
  const std::string first = codec.take_output();
  EXPECT_EQ(codec.open({{"streamtype", "stdin"}, {"a", "b"}}), 3U);
  const std::string second = codec.take_output();
  EXPECT_EQ(first.substr(0, 4), "\x80\x03\x00\x01"s);
  EXPECT_EQ(first.substr(8, 10), "\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00"s);
  EXPECT_EQ(second.substr(8, 4), "\x00\x00\x00\x03"s);
  EXPECT_EQ(static_cast<size_t>(first[7]), first.size() - 8);
  Inflater inflate;
  EXPECT_EQ(inflate(first.substr(18)),
            "\x00\x00\x00\x01\x00\x00\x00\x0astreamtype\x00\x00\x00\x05"
            "error"s);
  EXPECT_EQ(inflate(second.substr(18)),
            "\x00\x00\x00\x02\x00\x00\x00\x0astreamtype\x00\x00\x00\x05"
            "stdin\x00\x00\x00\x01"
            "a\x00\x00\x00\x01"
            "b"s);
}

TEST_F(SpdyCodecTest, SendsDataAndItsEnd) {
  codec.send(3, "hi");
  codec.send(3, "");
  codec.end(3);
  EXPECT_EQ(codec.take_output(),
            "\x00\x00\x00\x03\x00\x00\x00\x02hi\x00\x00\x00\x03\x01\x00\x00\x00"s);
  EXPECT_EQ(codec.take_output(), "");
  codec.send(3, std::string(40000, 'x'));
  EXPECT_EQ(codec.take_output().size(), 40000U + 2 * 8);
}

TEST_F(SpdyCodecTest, TellsWhatCameHoweverItCame) {
  const std::string bytes =
      "\x80\x03\x00\x02\x00\x00\x00\x05\x00\x00\x00\x01x"  // a reply
      "\x00\x00\x00\x01\x00\x00\x00\x03one"
      "\x80\x03\x00\x09\x00\x00\x00\x08\x00\x00\x00\x01\x00\x00\x00\x01"  // a window
      "\x00\x00\x00\x05\x01\x00\x00\x04last"
      "\x80\x03\x00\x03\x00\x00\x00\x08\x00\x00\x00\x01\x00\x00\x00\x05"    // a reset
      "\x80\x03\x00\x02\x01\x00\x00\x04\x00\x00\x00\x07"                    // a reply that ends
      "\x80\x03\x00\x07\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00"s;  // goodbye
  for (const size_t step : {1000, 1, 3, 7}) {
    SCOPED_TRACE(step);
    EXPECT_EQ(receive(bytes, step), "1:one 5:last 5:end 1:end 7:end");
  }
  EXPECT_EQ(codec.take_output(), "");
}

TEST_F(SpdyCodecTest, AnswersPings) {
  EXPECT_EQ(receive("\x80\x03\x00\x06\x00\x00\x00\x04\x00\x00\x00\x02"s), "");
  EXPECT_EQ(codec.take_output(), "\x80\x03\x00\x06\x00\x00\x00\x04\x00\x00\x00\x02"s);
  EXPECT_EQ(receive("\x80\x03\x00\x06\x00\x00\x00\x04\x00\x00\x00\x03"s), "");
  EXPECT_EQ(codec.take_output(), "") << "that is an answer itself";
}

TEST_F(SpdyCodecTest, RefusesWhatIsNoSpdy) {
  SpdyCodec other{*this};
  EXPECT_FALSE(other.receive("\x80\x02\x00\x01\x00\x00\x00\x00"s).ok());
  SpdyCodec large{*this};
  EXPECT_FALSE(large.receive("\x80\x03\x00\x01\x00\xff\xff\xff"s).ok());
  SpdyCodec nobody{*this};
  EXPECT_FALSE(nobody.receive("\x00\x00\x00\x00\x00\x00\x00\x01x"s).ok());
}

}  // namespace
}  // namespace proa::http

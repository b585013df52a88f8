#include "http/wire/frame_splitter.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "testkit/http/http2_client.h"

namespace proa::http {
namespace frame_splitter_test {

namespace frames = testkit::frames;

TEST(FrameSplitter, FindsTheEndsOfFramesHoweverTheBytesArrive) {
  const std::string preface(frames::kPreface);
  const std::vector<std::string> sent = {
      frames::frame(frames::kSettings, 0, 0), frames::frame(frames::kPing, 0, 0, "12345678"),
      frames::frame(frames::kData, 0, 1, std::string(70'000, 'x')),
      frames::frame(0xee, 0xff, 0x7fffffff, "unknown"), frames::frame(frames::kData, 0, 1)};
  std::string all = preface;
  for (const std::string& frame : sent) all += frame;
  for (const size_t step : {size_t{1}, size_t{2}, size_t{10}, size_t{1000}, all.size()}) {
    SCOPED_TRACE(step);
    FrameSplitter splitter(preface.size());
    std::vector<std::string> found = {""};
    for (size_t at = 0; at < all.size(); at += step) {
      std::string_view bytes = std::string_view(all).substr(at, step);
      while (!bytes.empty()) {
        const FrameSplitter::Part part = splitter.take(bytes);
        ASSERT_FALSE(part.bytes.empty());
        found.back() += part.bytes;
        if (part.ends_frame) found.emplace_back();
      }
    }
    ASSERT_EQ(found.size(), sent.size() + 1);
    EXPECT_EQ(found.back(), "");
    EXPECT_EQ(found[0], preface + sent[0]);
    for (size_t i = 1; i < sent.size(); ++i) EXPECT_EQ(found[i], sent[i]);
  }
}

}  // namespace frame_splitter_test
}  // namespace proa::http

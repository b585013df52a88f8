#include "http/wire/grpc_frame.h"

#include <gtest/gtest.h>

#include <vector>

namespace proa::http {
namespace grpc_frame_test {

std::vector<std::string> drain(GrpcFrameReader& reader) {
  std::vector<std::string> messages;
  while (auto message = reader.next()) messages.push_back(message->str());
  return messages;
}

TEST(GrpcFrame, IsFlagLengthMessage) {
  EXPECT_EQ(print_grpc_frame("abc"), std::string("\0\0\0\0\3abc", 8));
  EXPECT_EQ(print_grpc_prefix(0x01020304), std::string("\0\1\2\3\4", 5));
}

TEST(GrpcFrameReader, FindsMessagesHoweverTheBytesWereCut) {
  const std::vector<std::string> messages = {"first", "", std::string(300, 'x'), "last"};
  std::string stream;
  for (const auto& message : messages) stream += print_grpc_frame(message);
  for (size_t step = 1; step <= stream.size(); ++step) {
    SCOPED_TRACE(step);
    GrpcFrameReader reader(1000);
    for (size_t at = 0; at < stream.size(); at += step) {
      ASSERT_TRUE(reader.feed(std::string_view(stream).substr(at, step)).ok());
    }
    EXPECT_TRUE(reader.at_boundary());
    EXPECT_EQ(drain(reader), messages);
  }
}

TEST(GrpcFrameReader, KnowsWhenAStreamEndsInTheMiddle) {
  const std::string frame = print_grpc_frame("abc");
  for (size_t size = 0; size <= frame.size(); ++size) {
    SCOPED_TRACE(size);
    GrpcFrameReader reader(10);
    ASSERT_TRUE(reader.feed(std::string_view(frame).substr(0, size)).ok());
    EXPECT_EQ(reader.at_boundary(), size == 0 || size == frame.size());
  }
}

TEST(GrpcFrameReader, RefusesLargeAndCompressedMessages) {
  GrpcFrameReader exact(3);
  EXPECT_TRUE(exact.feed(print_grpc_frame("abc")).ok());
  GrpcFrameReader small(2);
  EXPECT_TRUE(small.feed(print_grpc_frame("abc")).is(Reason::kRequestEntityTooLarge));
  GrpcFrameReader huge(1000);
  EXPECT_FALSE(huge.feed("\0\xff\xff\xff\xff").ok() && huge.feed("\xff\xff\xff\xff\xff").ok());
  GrpcFrameReader compressed(1000);
  EXPECT_TRUE(compressed.feed(std::string("\1\0\0\0\1x", 6)).is(Reason::kUnsupportedMediaType));
}

}  // namespace grpc_frame_test
}  // namespace proa::http

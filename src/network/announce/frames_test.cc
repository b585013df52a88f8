#include "network/announce/frames.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace proa::network {
namespace {

constexpr MacAddress kOwn = {2, 0, 0, 0, 0, 1};
constexpr MacAddress kOther = {2, 0, 0, 0, 0, 2};

std::string hex(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) text += fmt::format("{:02x}", static_cast<uint8_t>(c));
  return text;
}
std::string bytes(std::string_view text) {
  std::string out;
  for (size_t i = 0; i + 1 < text.size(); i += 2) {
    out += static_cast<char>(std::stoi(std::string(text.substr(i, 2)), nullptr, 16));
  }
  return out;
}
IpAddress ip(std::string_view text) { return parse_ip(text).value(); }

constexpr const char* kArpQuestion =
    "ffffffffffff0200000000020806"
    "0001080006040001020000000002c0000202000000000000c0000207";
// From fe80::2 to ff02::1:ff00:7, who has 2001:db8::7, with the sender's link-layer address.
constexpr const char* kSolicitation =
    "3333ff00000702000000000286dd"
    "6000000000203afffe800000000000000000000000000002ff0200000000000000000001ff000007"
    "8700000000000000"
    "20010db8000000000000000000000007"
    "0101020000000002";

TEST(AddressFrames, AnArpQuestionIsAnsweredToTheAsker) {
  const auto question = read_address_frame(bytes(kArpQuestion));
  ASSERT_TRUE(question);
  EXPECT_EQ(question->kind, AddressFrame::Kind::kQuestion);
  EXPECT_EQ(question->address, ip("192.0.2.7"));
  EXPECT_EQ(question->sender, ip("192.0.2.2"));
  EXPECT_EQ(question->sender_mac, kOther);
  EXPECT_EQ(hex(answer_frame(*question, kOwn)),
            "0200000000020200000000010806"
            "0001080006040002020000000001c0000207020000000002c0000202");
}

TEST(AddressFrames, ASolicitationIsAnsweredToTheAsker) {
  const auto question = read_address_frame(bytes(kSolicitation));
  ASSERT_TRUE(question);
  EXPECT_EQ(question->kind, AddressFrame::Kind::kQuestion);
  EXPECT_EQ(question->address, ip("2001:db8::7"));
  EXPECT_EQ(question->sender, ip("fe80::2"));
  // The checksum was computed by another program.
  EXPECT_EQ(hex(answer_frame(*question, kOwn)),
            "02000000000202000000000186dd"
            "6000000000203aff20010db8000000000000000000000007fe800000000000000000000000000002"
            "8800b99f60000000"
            "20010db8000000000000000000000007"
            "0201020000000001");
}

TEST(AddressFrames, AnAnnouncementIsAClaim) {
  for (const char* address : {"192.0.2.7", "2001:db8::7"}) {
    SCOPED_TRACE(address);
    const auto read = read_address_frame(announcement_frame(ip(address), kOther));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->kind, AddressFrame::Kind::kClaim);
    EXPECT_EQ(read->address, ip(address));
    EXPECT_EQ(read->sender_mac, kOther);
  }
}

TEST(AddressFrames, ProbesForDuplicatesAreAnswered) {
  std::string probe = bytes(kSolicitation);
  std::fill_n(probe.begin() + 22, 16, '\0');
  const auto question = read_address_frame(probe);
  ASSERT_TRUE(question);
  const std::string answer = answer_frame(*question, kOwn);
  EXPECT_EQ(hex(answer).substr(0, 12), "333300000001");
  EXPECT_EQ(read_address_frame(answer)->kind, AddressFrame::Kind::kClaim);
}

TEST(AddressFrames, WhatIsCutShortIsNone) {
  for (const char* text : {kArpQuestion, kSolicitation}) {
    const std::string whole = bytes(text);
    const size_t needed = text == kArpQuestion ? whole.size() : whole.size() - 8;
    for (size_t size = 0; size < needed; ++size) {
      EXPECT_FALSE(read_address_frame(std::string_view(whole).substr(0, size))) << size;
    }
  }
  std::string forwarded = bytes(kSolicitation);
  forwarded[21] = '\x40';
  EXPECT_FALSE(read_address_frame(forwarded));
}

TEST(AddressFrames, QuestionsForAnIpv6AddressGoToItsGroup) {
  EXPECT_EQ(solicited_node_group(ip("2001:db8::12:3456")).str(), "ff02::1:ff12:3456");
}

}  // namespace
}  // namespace proa::network

#include "netlink/message.h"

#include <gtest/gtest.h>
#include <linux/rtnetlink.h>

#include "base/random.h"

namespace proa::netlink {
namespace {

std::string_view text_of(const Batch& batch) {
  return const_cast<Batch&>(batch).number_from(7, 42);
}

TEST(Batch, ReadsBackAsItWasWritten) {
  Batch batch;
  batch.begin(RTM_NEWLINK, NLM_F_CREATE, ifinfomsg{});
  batch.text(IFLA_IFNAME, "proa0");
  {
    const Batch::Nest info = batch.nest(IFLA_LINKINFO);
    batch.text(IFLA_INFO_KIND, "vxlan");
    const Batch::Nest data = batch.nest(IFLA_INFO_DATA);
    batch.number(IFLA_VXLAN_ID, uint32_t{7});
    batch.network16(IFLA_VXLAN_PORT, 4789);
    EXPECT_EQ(data.size(), 16u);
  }
  batch.number(IFLA_MTU, uint32_t{1450});
  batch.begin(RTM_DELLINK, 0, ifinfomsg{});
  batch.address(IFLA_ADDRESS, *parse_ip("10.0.0.1"));
  batch.address(IFLA_BROADCAST, *parse_ip("fd00::1"));

  MessageReader reader(text_of(batch));
  const auto first = reader.next();
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->header.nlmsg_type, RTM_NEWLINK);
  EXPECT_EQ(first->header.nlmsg_flags, NLM_F_CREATE | NLM_F_REQUEST);
  EXPECT_EQ(first->header.nlmsg_seq, 7u);
  EXPECT_EQ(first->header.nlmsg_pid, 42u);
  const Attributes attributes = first->attributes<ifinfomsg>();
  EXPECT_EQ(attributes.find(IFLA_IFNAME).text(), "proa0");
  EXPECT_EQ(attributes.find(IFLA_MTU).number(), 1450u);
  const Attributes info = attributes.find(IFLA_LINKINFO).nested();
  EXPECT_EQ(info.find(IFLA_INFO_KIND).text(), "vxlan");
  EXPECT_EQ(info.find(IFLA_INFO_DATA).nested().find(IFLA_VXLAN_PORT).network_number(), 4789u);
  EXPECT_EQ(info.find(IFLA_INFO_DATA).nested().find(IFLA_VXLAN_ID).as<uint32_t>(), 7u);
  EXPECT_FALSE(info.find(IFLA_IFNAME + 90));

  const auto second = reader.next();
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(second->header.nlmsg_seq, 8u);
  EXPECT_EQ(second->attributes<ifinfomsg>().find(IFLA_ADDRESS).address(), parse_ip("10.0.0.1"));
  EXPECT_EQ(second->attributes<ifinfomsg>().find(IFLA_BROADCAST).address(), parse_ip("fd00::1"));
  EXPECT_FALSE(reader.next().has_value());
}

TEST(Batch, GrowsBeyondWhatOnePageHolds) {
  Batch batch;
  for (int i = 0; i < 50'000; ++i) {
    batch.begin(RTM_NEWROUTE, 0, rtmsg{});
    batch.address(RTA_DST, *parse_ip("10.0.0.1"));
  }
  size_t count = 0;
  MessageReader reader(text_of(batch));
  while (reader.next()) ++count;
  EXPECT_EQ(count, 50'000u);
  batch.clear();
  EXPECT_TRUE(batch.empty());
}

TEST(Attributes, EndWhereAnAttributeDoesNotFit) {
  Batch batch;
  batch.begin(RTM_NEWLINK, 0, ifinfomsg{});
  batch.number(1, uint32_t{1});
  batch.bytes(2, "abcde");
  const std::string whole(MessageReader(text_of(batch)).next()->payload.substr(sizeof(ifinfomsg)));
  EXPECT_EQ(Attributes(whole).find(2).bytes(), "abcde");
  for (size_t length = 0; length < whole.size(); ++length) {
    size_t count = 0;
    for (const Attribute& attribute : Attributes(std::string_view(whole).substr(0, length))) {
      EXPECT_LE(attribute.bytes().size(), length);
      ++count;
    }
    EXPECT_EQ(count, length < 8 ? 0u : length < 8 + 4 + 5 ? 1u : 2u) << length;
  }
  const std::string too_short("\x03\x00\x01\x00", 4);
  EXPECT_EQ(Attributes(too_short).begin(), Attributes(too_short).end());
  EXPECT_FALSE(Attributes(whole).find(2).number().has_value());
  EXPECT_FALSE(Attributes(whole).find(2).address().has_value());
}

// Walks everything that can be read of some bytes, as deep as it goes.
size_t walk(const Attributes& attributes, int depth) {
  size_t sum = 0;
  for (const Attribute& attribute : attributes) {
    sum += attribute.text().size() + attribute.number().value_or(0) % 2 +
           attribute.network_number().value_or(0) % 2 + attribute.address().has_value();
    if (depth > 0) sum += walk(attribute.nested(), depth - 1);
  }
  return sum;
}

TEST(MessageReader, SurvivesAnyBytes) {
  SystemRandom random;
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes(random.below(200), '\0');
    for (char& byte : bytes) byte = static_cast<char>(random.below(round % 2 == 0 ? 256 : 24));
    // Heap of exactly this size, so that sanitizers see each step beyond.
    MessageReader reader(bytes);
    while (const auto message = reader.next()) {
      walk(message->attributes<ifinfomsg>(), 3);
      static_cast<void>(read_answer(*message));
    }
  }
}

TEST(ReadAnswer, HasTheWordsOfTheKernel) {
  Batch batch;
  batch.begin(NLMSG_ERROR, NLM_F_CAPPED | NLM_F_ACK_TLVS, nlmsgerr{.error = -17, .msg = {}});
  batch.text(NLMSGERR_ATTR_MSG, "is there already");
  const auto answer = read_answer(*MessageReader(text_of(batch)).next());
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->error, 17);
  EXPECT_EQ(answer->text, "is there already");
  EXPECT_EQ(answer->sequence, 7u);

  Batch other;
  other.begin(RTM_NEWLINK, 0, nlmsgerr{});
  EXPECT_FALSE(read_answer(*MessageReader(text_of(other)).next()).has_value());
}

}  // namespace
}  // namespace proa::netlink

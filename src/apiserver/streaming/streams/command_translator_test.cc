#include "apiserver/streaming/streams/command_translator.h"

#include <gtest/gtest.h>

namespace proa::apiserver {
namespace {

using namespace std::string_literals;
using Messages = std::vector<std::string>;

// A data frame of a kubelet.
std::string frame(unsigned char stream, const std::string& text, bool last = false) {
  return "\0\0\0"s + static_cast<char>(stream) + (last ? "\x01"s : "\0"s) + "\0\0"s +
         static_cast<char>(text.size()) + text;
}
std::string reset(unsigned char stream) {
  return "\x80\x03\x00\x03\x00\x00\x00\x08\x00\x00\x00"s + static_cast<char>(stream) +
         "\x00\x00\x00\x05"s;
}

// Streams of a command with input: 1 is the status, 3 the input, 5 the output, 7 the errors.
class CommandTranslator : public testing::Test {
 protected:
  CommandTranslator() {
    translator->begin();
    opened = translator->take_for_node();
  }
  void say(const std::string& bytes) { EXPECT_TRUE(translator->from_node(bytes).ok()); }
  void type(const std::string& message) { EXPECT_TRUE(translator->from_client(message).ok()); }

  std::unique_ptr<StreamTranslator> translator =
      translate_command({.input = true, .output = true, .errors = true});
  std::string opened;
};

TEST_F(CommandTranslator, OpensAStreamForEachChannel) {
  size_t last = 0;
  for (const char* type : {"error", "stdin", "stdout", "stderr"}) {
    const size_t found = opened.find(type, last);
    EXPECT_NE(found, std::string::npos) << type;
    last = found;
  }
  EXPECT_EQ(opened.find("resize"), std::string::npos);
  EXPECT_EQ(translator->take_for_client(), Messages{"\x01"}) << "all is there";
  EXPECT_FALSE(translator->is_over());
}

TEST_F(CommandTranslator, GivesATerminalOneStreamForBoth) {
  const auto terminal =
      translate_command({.input = true, .output = true, .errors = true, .tty = true});
  terminal->begin();
  const std::string sent = terminal->take_for_node();
  EXPECT_EQ(sent.find("stderr"), std::string::npos);
  EXPECT_NE(sent.find("resize"), std::string::npos);
  EXPECT_TRUE(terminal->from_client("\x04{\"Width\":80,\"Height\":20}").ok());
  EXPECT_EQ(terminal->take_for_node(), frame(7, R"({"Width":80,"Height":20})"));
}

TEST_F(CommandTranslator, CarriesTheInputToItsEnd) {
  type("\0hello"s);
  EXPECT_EQ(translator->take_for_node(), frame(3, "hello"));
  type("\xff\x00"s);
  EXPECT_EQ(translator->take_for_node(), frame(3, "", true));
  type("\xff\x00"s);
  type("\0more"s);
  EXPECT_EQ(translator->take_for_node(), "") << "it has ended";
}

TEST_F(CommandTranslator, LeavesOtherMessagesAside) {
  for (const std::string& message :
       {""s, "\xff"s, "\xff\x01"s, "\x01out"s, "\x03status"s, "\x04{}"s, "\x09x"s}) {
    type(message);
    EXPECT_EQ(translator->take_for_node(), "") << testing::PrintToString(message);
  }
}

TEST_F(CommandTranslator, TellsTheEndAfterAllElse) {
  translator->take_for_client();
  say(frame(5, "out") + frame(7, "err") + frame(1, R"({"status":)"));
  EXPECT_EQ(translator->take_for_client(), (Messages{"\x01out",
                                                     "\x02"
                                                     "err"}));
  say(frame(1, R"("Success"})", true));
  EXPECT_FALSE(translator->is_over());
  say(frame(5, "put", true));
  EXPECT_FALSE(translator->is_over());
  say(reset(7));
  EXPECT_TRUE(translator->is_over());
  EXPECT_EQ(translator->take_for_client(), (Messages{"\x01put", "\x03{\"status\":\"Success\"}"}));
}

TEST_F(CommandTranslator, TellsTheEndWhenTheNodeJustGoes) {
  translator->take_for_client();
  say(frame(1, R"({"status":"Success"})"));
  translator->node_ended();
  EXPECT_TRUE(translator->is_over());
  EXPECT_EQ(translator->take_for_client(), Messages{"\x03{\"status\":\"Success\"}"});
}

TEST_F(CommandTranslator, TellsThatNobodySaidHowItEnded) {
  translator->take_for_client();
  translator->node_ended();
  const Messages told = translator->take_for_client();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_NE(told[0].find(R"("status":"Failure")"), std::string::npos) << told[0];
  EXPECT_NE(told[0].find("InternalError"), std::string::npos) << told[0];
  translator->node_ended();
  EXPECT_EQ(translator->take_for_client(), Messages());
}

TEST(TunnelTranslator, CarriesBytesAsTheyAre) {
  const auto tunnel = translate_tunnel();
  tunnel->begin();
  EXPECT_TRUE(tunnel->from_client("\x80\x03").ok());
  EXPECT_TRUE(tunnel->from_client("more").ok());
  EXPECT_EQ(tunnel->take_for_node(), "\x80\x03more");
  EXPECT_TRUE(tunnel->from_node("back").ok());
  EXPECT_EQ(tunnel->take_for_client(), Messages{"back"});
  EXPECT_FALSE(tunnel->is_over());
  tunnel->node_ended();
  EXPECT_TRUE(tunnel->is_over());
}

}  // namespace
}  // namespace proa::apiserver

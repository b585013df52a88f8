#include "kubelet/runtime/cri/event_messages.h"

#include <gtest/gtest.h>

namespace proa::kubelet::cri {
namespace event_messages_test {

// A field with bytes. REQUIRES: fewer than 128.
std::string field(int number, const std::string& bytes) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(bytes.size())} + bytes;
}

std::string envelope(const std::string& topic, const std::string& payload) {
  return field(1, "\x08\x01") + field(2, "k8s.io") + field(3, topic) +
         field(4, field(1, "containerd.events.X") + field(2, payload));
}

TEST(ContainerdEvents, TellWhatCanChangeAPod) {
  using Kind = RuntimeEvent::Kind;
  const std::string pid = "\x10\x05";  // field 2 of most events
  struct Case {
    const char* name;
    std::string message;
    Kind kind;
    const char* id;
  };
  const Case cases[] = {
      {"started", envelope("/tasks/start", field(1, "c1") + pid), Kind::kNothing, ""},
      {"out of memory", envelope("/tasks/oom", field(1, "c1")), Kind::kChanged, "c1"},
      {"ended", envelope("/tasks/exit", field(1, "c1") + field(2, "c1") + "\x18\x05"), Kind::kEnded,
       "c1"},
      {"end of an exec", envelope("/tasks/exit", field(1, "c1") + field(2, "x")), Kind::kNothing,
       ""},
      {"deleted task", envelope("/tasks/delete", field(1, "c1") + pid), Kind::kEnded, "c1"},
      {"deleted container", envelope("/containers/delete", field(1, "c1")), Kind::kEnded, "c1"},
      {"end of a sandbox", envelope("/sandbox/exit", field(1, "s1")), Kind::kEnded, "s1"},
      {"an image", envelope("/images/create", field(1, "i")), Kind::kNothing, ""},
      {"about nobody", envelope("/tasks/oom", ""), Kind::kNothing, ""},
      {"nothing at all", "", Kind::kNothing, ""},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    const auto read = read_containerd_event(one.message);
    ASSERT_TRUE(read.ok()) << read.status().message();
    EXPECT_EQ(read->kind, one.kind);
    EXPECT_EQ(read->id, one.id);
  }
  EXPECT_FALSE(read_containerd_event("\x1a\x7f").ok());
}

TEST(ContainerdEvents, GreetingsAreSubscribedTo) {
  const std::string greeting = print_greeting();
  // PublishRequest has the topic in field 1, the envelope in 3.
  const std::string topic = greeting.substr(2, static_cast<size_t>(greeting[1]));
  EXPECT_EQ(read_containerd_event(envelope(topic, ""))->kind, RuntimeEvent::Kind::kGreeting);
  const std::string subscription = print_subscription();
  EXPECT_NE(subscription.find("namespace==k8s.io,topic==\"" + topic + "\""), std::string::npos);
  EXPECT_NE(subscription.find("namespace==k8s.io,topic==\"/tasks/exit\""), std::string::npos);
}

TEST(CriEvents, TellTheContainer) {
  const auto read = read_cri_event(field(1, "c1") + "\x10\x02" + field(4, field(1, "s1")));
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->kind, RuntimeEvent::Kind::kChanged);
  EXPECT_EQ(read->id, "c1");
  EXPECT_EQ(read_cri_event("")->kind, RuntimeEvent::Kind::kNothing);
}

}  // namespace event_messages_test
}  // namespace proa::kubelet::cri

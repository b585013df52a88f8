#include "proxy/changes/tracker.h"

#include <gtest/gtest.h>

namespace proa::proxy {
namespace {

const client::Key kKey{.name_space = "default", .name = "web"};

ServiceState state(std::vector<std::string> ports, uint16_t number = 80) {
  ServiceState made;
  for (std::string& name : ports) {
    ServicePort& port = made.ports.emplace_back();
    port.name = {
        .name_space = "default", .service = "web", .port = std::move(name), .protocol = {}};
    port.port = number;
  }
  return made;
}

std::string text(const std::vector<Change>& changes) {
  std::string all;
  for (const Change& change : changes) {
    const ServicePort& port = change.after == nullptr ? *change.before : *change.after;
    const char* what = change.before == nullptr ? "+" : change.after == nullptr ? "-" : "~";
    all += what + port.name.port + " ";
  }
  return all;
}

class TrackerTest : public ::testing::Test {
 protected:
  std::string update(ServiceState wanted) {
    std::vector<Change> changes;
    tracker_.update(kKey, std::move(wanted), changes);
    return text(changes);
  }
  Tracker tracker_;
};

TEST_F(TrackerTest, TellsPortsThatDiffer) {
  EXPECT_EQ(update(state({"b", "d"})), "+b +d ");
  EXPECT_EQ(update(state({"b", "d"})), "");
  EXPECT_EQ(update(state({"a", "b", "c"})), "+a +c -d ");
  EXPECT_EQ(tracker_.size(), 3U);
  EXPECT_EQ(update(state({"a", "b"}, 81)), "~a ~b -c ");
  EXPECT_EQ(tracker_.all().size(), 2U);
  EXPECT_EQ(update({}), "-a -b ");
  EXPECT_EQ(update({}), "");
  EXPECT_EQ(tracker_.size(), 0U);
}

TEST_F(TrackerTest, KeepsThePortsThatAreEqual) {
  update(state({"a", "b"}));
  const ServicePortPtr first = tracker_.all()[0];
  update(state({"a"}));
  EXPECT_EQ(tracker_.all()[0], first);
}

TEST_F(TrackerTest, ListsHealthChecks) {
  ServiceState wanted = state({"a"});
  wanted.health_check_port = 32000;
  wanted.local_ready = {2, 1};
  update(wanted);
  EXPECT_EQ(tracker_.health().at(kKey).port, 32000);
  EXPECT_EQ(tracker_.health().at(kKey).local_ready[0], 2U);
  update(state({"a"}));
  EXPECT_TRUE(tracker_.health().empty());
}

TEST_F(TrackerTest, ReportsATriggerOnce) {
  ServiceState wanted = state({"a"});
  const Time trigger{std::chrono::seconds(1)};
  wanted.triggers[0] = {trigger};
  update(wanted);
  EXPECT_EQ(tracker_.take_triggers(Family::kV4), std::vector{trigger});
  EXPECT_TRUE(tracker_.take_triggers(Family::kV6).empty());
  update(wanted);
  EXPECT_TRUE(tracker_.take_triggers(Family::kV4).empty());
}

}  // namespace
}  // namespace proa::proxy

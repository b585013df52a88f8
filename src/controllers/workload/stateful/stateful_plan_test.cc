#include "controllers/workload/stateful/stateful_plan.h"

#include <gtest/gtest.h>

#include <string>

namespace proa::controllers {
namespace {

// One letter a pod: '.' missing, 'r' serving, 'n' not ready, 'w' ready but not yet available,
// 'p' pending, 'f' finished, 'd' being deleted, 'o' serving but outdated, 'O' outdated and not
// ready, 'P' pending and without claims, 'x' serving with claims of wrong owners, 'i' serving under
// a wrong identity, 'l' missing while claims are left.
StatefulMember member(char letter, int64_t ordinal) {
  StatefulMember pod;
  pod.ordinal = ordinal;
  pod.exists = letter != '.' && letter != 'l';
  pod.claims_left = letter == 'l';
  pod.finished = letter == 'f';
  pod.pending = letter == 'p' || letter == 'P';
  pod.claims_missing = letter == 'P';
  pod.being_deleted = letter == 'd';
  pod.outdated = letter == 'o' || letter == 'O';
  pod.claims_misowned = letter == 'x';
  pod.unlike_identity = letter == 'i';
  pod.ready = std::string("rwoxid").find(letter) != std::string::npos;
  pod.available = pod.ready && letter != 'w';
  return pod;
}

// "+2": create, "-2": remove, "~2": remove for an update, "c2": claims, "o2": owners of claims,
// "i2": repair. Stages that do something are parted by '|'.
std::string plan(const StatefulPolicy& policy, std::string_view replicas,
                 std::string_view condemned) {
  std::vector<StatefulMember> wanted;
  for (const char letter : replicas) {
    wanted.push_back(member(letter, static_cast<int64_t>(wanted.size())));
  }
  std::vector<StatefulMember> unwanted;
  for (const char letter : condemned) {
    const auto ordinal = static_cast<int64_t>(replicas.size() + unwanted.size());
    unwanted.insert(unwanted.begin(), member(letter, ordinal));
  }
  std::string text;
  for (const auto& stage : plan_stateful(policy, wanted, unwanted)) {
    if (!stage.empty() && !text.empty()) text += "| ";
    for (const StatefulStep& step : stage) {
      text += "+coi-~"[static_cast<size_t>(step.action)];
      text += std::to_string(step.ordinal) + " ";
    }
  }
  return text;
}

struct Case {
  const char* name;
  StatefulPolicy policy;
  const char* replicas;
  const char* condemned;
  const char* expected;
};

constexpr StatefulPolicy kOrdered{};
constexpr StatefulPolicy kParallel{.parallel = true};
constexpr StatefulPolicy kOnDelete{.updates = false};

TEST(PlanStateful, DoesWhatCanBeDoneNow) {
  const Case cases[] = {
      {"the first one comes alone", kOrdered, "...", "", "+0 "},
      {"the next one waits until it runs", kOrdered, "p..", "", ""},
      {"until it is ready", kOrdered, "n..", "", ""},
      {"until it is available", kOrdered, "w..", "", ""},
      {"then it comes", kOrdered, "r..", "", "+1 "},
      {"a gap is filled before all else", kOrdered, "r.o", "r", "+1 "},
      {"one that ended goes", kOrdered, "rfr", "", "-1 "},
      {"one that goes is waited for", kOrdered, "rdr.", "", ""},
      {"all at once", kParallel, "r.n.", "", "+1 +3 "},
      {"those that ended, too", kParallel, "f.f", "", "-0 +1 -2 "},
      {"claims of a pod that waits for them", kOrdered, "P.", "", "c0 "},
      {"owners of claims", kOrdered, "rxr", "", "i1 "},
      {"identity", kOrdered, "ri.", "", "i1 +2 "},
      {"claims that an earlier pod left", kOrdered, "rl.", "", ""},
      {"parallel: only that one waits", kParallel, "l.", "", "+1 "},
      {"the last one goes first", kOrdered, "rr", "rr", "-3 "},
      {"one that goes is waited for before the next", kOrdered, "rr", "rd", ""},
      {"none goes while another does not serve", kOrdered, "rn", "rr", ""},
      {"the first one that does not serve may go", kOrdered, "rr", "n", "-2 "},
      {"others that don't serve wait for it", kOrdered, "rr", "nn", ""},
      {"those that ended wait for nobody", kOrdered, "r", "ff", "-2 "},
      {"parallel: all of them go", kParallel, "n", "rnd", "-2 -1 "},
      {"owners of claims of those that go, first", kOrdered, "r", "x", "o1 | -1 "},
      {"the last outdated one is replaced", kOrdered, "ooo", "", "~2 "},
      {"then the one before", kOrdered, "oor", "", "~1 "},
      {"not before the new one serves", kOrdered, "oow", "", ""},
      {"one that never served is in the way", kOrdered, "ooO", "", ""},
      {"parallel: it is replaced", kParallel, "ooO", "", "~2 "},
      {"parallel: one after the other", kParallel, "oon", "", ""},
      {"scaling goes before updates", kOrdered, "oo", "r", "-2 "},
      {"parallel: together", kParallel, "oo", "r", "-2 | ~1 "},
      {"below the partition they stay", {.first_updated = 2}, "oor", "", ""},
      {"from the partition on they go", {.first_updated = 1}, "oor", "", "~1 "},
      {"people replace them", kOnDelete, "ooo", "", ""},
      {"nothing to do", kOrdered, "rrr", "", ""},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(plan(c.policy, c.replicas, c.condemned), c.expected);
  }
}

}  // namespace
}  // namespace proa::controllers

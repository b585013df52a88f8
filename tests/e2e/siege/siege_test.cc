// All attacks at once and one after the other, against a server with little of everything, and an
// honest user who must not notice.
//   PROA_SIEGE_SEED=n      draws the same attacks again
//   PROA_SIEGE_SECONDS=n   how long; 120 by default
//   PROA_SIEGE_ONLY=text   only attacks whose names contain it
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <atomic>
#include <iostream>

#include "base/process/capacity.h"
#include "base/random.h"
#include "honest_user.h"
#include "tests/e2e/confined.h"
#include "tests/e2e/server.h"
#include "weapons.h"

namespace proa::e2e {
namespace {

using testkit::holds_within;

constexpr size_t kMega = 1024 * 1024;
constexpr size_t kMemory = 256 * kMega;
constexpr int kDiskMegabytes = 32;
// What may be left after all attacks.
constexpr size_t kKept = 20 * kMega;
// The store keeps five minutes of history: after a long siege, its memory goes back only then.
constexpr std::chrono::seconds kHistory = 6min;

uint64_t from_environment(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// Deals all weapons in random order, again and again.
class Deck {
 public:
  explicit Deck(Random& random) : random_(random) {
    const char* only = std::getenv("PROA_SIEGE_ONLY");
    if (only == nullptr) return;
    std::erase_if(weapons_, [only](const Weapon& weapon) {
      return std::string_view(weapon.name).find(only) == std::string_view::npos;
    });
  }
  // REQUIRES: a weapon is left.
  const Weapon& draw() {
    if (left_.empty()) {
      for (size_t i = 0; i < weapons_.size(); ++i) left_.push_back(i);
    }
    const size_t drawn = random_.below(left_.size());
    const size_t weapon = left_[drawn];
    left_.erase(left_.begin() + static_cast<std::ptrdiff_t>(drawn));
    return weapons_[weapon];
  }

 private:
  Random& random_;
  std::vector<Weapon> weapons_ = all_weapons();
  std::vector<size_t> left_;
};

class SiegeTest : public testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "needs root, to mount a small file system";
    if (!disk_.mounted()) GTEST_SKIP() << "cannot mount a tmpfs here";
    raise_descriptor_limit();
    const std::string tokens = folder_.file("tokens.csv",
                                            "honest,jane,1,\"developers\"\n"
                                            "hostile,mallory,2,\"developers\"\n");
    server_.emplace(disk_.data_dir(), "server",
                    std::vector<std::string>{"--token-auth-file", tokens}, [this] {
                      end_with_test();
                      limit_descriptors(1024);
                      memory_.enter();
                    });
    ASSERT_TRUE(server_->ready()) << server_->said();
    const std::string url = server_->url();
    besieged_ = {disk_.data_dir(), std::stoi(url.substr(url.rfind(':') + 1)), &disk_, 0};
    admin_.emplace(disk_.data_dir());
    const auto bound = admin_->ask("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
                                   R"({"metadata":{"name":"developers"},"roleRef":{"apiGroup":
        "rbac.authorization.k8s.io","kind":"ClusterRole","name":"cluster-admin"},"subjects":[
        {"apiGroup":"rbac.authorization.k8s.io","kind":"Group","name":"developers"}]})");
    ASSERT_EQ(bound.code, 201);
  }

  size_t memory() const { return testkit::resident_bytes(server_->pid()); }
  bool alive() const { return memory() > 0; }

  std::jthread attack(const Weapon& weapon, std::chrono::steady_clock::time_point end) {
    Besieged here = besieged_;
    here.seed = random_.next();
    return std::jthread([this, &weapon, here, end] {
      // Attackers have machines of their own: they take what the others leave of this one. Threads
      // that they start inherit it.
      ::setpriority(PRIO_PROCESS, static_cast<id_t>(::syscall(SYS_gettid)), 15);
      const std::unique_ptr<Attack> attack = weapon.make(here);
      while (std::chrono::steady_clock::now() < end && alive()) attack->step();
    });
  }

  // One attack, or two at once, for some seconds.
  void one_round(HonestUser& honest, std::chrono::steady_clock::time_point end_of_all) {
    std::vector<const Weapon*> drawn = {&deck_.draw()};
    if (random_.below(3) == 0) drawn.push_back(&deck_.draw());
    std::string name;
    bool fills_disk = false;
    for (const Weapon* weapon : drawn) {
      name += (name.empty() ? "" : " + ") + std::string(weapon->name);
      fills_disk |= weapon->fills_disk;
    }
    honest.begin(name);
    const auto end =
        std::min(end_of_all, std::chrono::steady_clock::now() +
                                 std::chrono::milliseconds(3000 + random_.below(4000)));
    {
      std::vector<std::jthread> attackers;
      for (const Weapon* weapon : drawn) attackers.push_back(attack(*weapon, end));
    }
    const HonestUser::Phase phase = honest.current();
    std::cout << name << ": memory " << memory() / kMega << " MB, reads " << text(phase.reads)
              << ", writes " << text(phase.writes) << ", refused " << phase.refused << std::endl;
    if (!fills_disk || !alive()) return;
    EXPECT_TRUE(holds_within(30s, [&] { return ready(); }))
        << "after " << name << ": " << unready();
    EXPECT_TRUE(holds_within(30s, [&] { return writable(); })) << "after " << name;
  }

  static std::string text(const testkit::Latencies& latencies) {
    return latencies.count() == 0 ? "none"
                                  : std::to_string(latencies.count()) + " in " + latencies.text();
  }
  bool ready() { return admin_->ask("GET", "/readyz").code == 200; }
  std::string unready() {
    const auto response = admin_->send("GET", "/readyz?verbose", "", "text/plain");
    return text_of(response);
  }
  // Takes objects that are not small.
  bool writable() {
    const std::string target = std::string(kMaps) + "/writable";
    const int code = admin_->ask("POST", kMaps, large_map("writable", 100'000, 'w')).code;
    // 409: the deletion of the one before failed.
    return (code == 201 || code == 409) && admin_->ask("DELETE", target).code == 200 && code == 201;
  }

  // What attacks left behind that could not delete it.
  void clean_up() {
    for (const auto& [name, item] : admin_->list("?limit=20").items) {
      if (!name.starts_with("honest-")) admin_->ask("DELETE", kMaps + ("/" + name));
    }
    admin_->ask("DELETE", std::string(kLongRole));
  }

  void expect_nothing_lost(const HonestUser& honest) {
    const Items stored = admin_->list("?limit=20").items;
    for (const auto& [name, known] : honest.known()) {
      const auto found = stored.find(name);
      const HonestUser::Value value =
          found == stored.end() ? HonestUser::Value() : HonestUser::Value(found->second.number);
      EXPECT_TRUE(known.allows(value)) << name << " is " << value.value_or(-1)
                                       << ", acknowledged was " << known.acknowledged.value_or(-1);
    }
  }

  void expect_works() {
    EXPECT_TRUE(holds_within(30s, [&] { return ready(); })) << unready();
    EXPECT_TRUE(holds_within(30s, [&] { return writable(); }));
    const uint64_t version = admin_->list().version;
    Watch watch(*admin_, "&resourceVersion=" + std::to_string(version));
    EXPECT_EQ(admin_->ask("POST", kMaps, config_map("after", 7)).code, 201);
    const auto event = watch.next();
    ASSERT_TRUE(event.has_value());
    EXPECT_EQ(event->type + " " + event->name, "ADDED after");
    EXPECT_EQ(admin_->list().items["after"].number, 7);
    // As kubectl get lists.
    TokenClient user(disk_.data_dir(), besieged_.port, "honest");
    const auto table = user.send("GET", std::string(kMaps) + "?limit=500", "", "",
                                 "application/json;as=Table;v=v1;g=meta.k8s.io,application/json");
    EXPECT_NE(text_of(table).find("\"kind\":\"Table\""), std::string::npos) << text_of(table);
  }

  const TemporaryFolder folder_;
  const SmallMount disk_{folder_.path() + "/disk", kDiskMegabytes};
  const MemoryCgroup memory_{kMemory};
  const uint64_t seed_ = from_environment("PROA_SIEGE_SEED", 1);
  SeededRandom random_{seed_};
  Deck deck_{random_};
  std::optional<Server> server_;
  std::optional<Admin> admin_;
  Besieged besieged_;
};

TEST_F(SiegeTest, IsSurvived) {
  const std::chrono::seconds length(from_environment("PROA_SIEGE_SECONDS", 120));
  std::cout << "PROA_SIEGE_SEED=" << seed_ << " PROA_SIEGE_SECONDS=" << length.count() << std::endl;
  HonestUser honest(disk_.data_dir(), besieged_.port);
  std::this_thread::sleep_for(3s);  // what any use leaves behind: threads, caches, statistics
  const size_t before = testkit::private_bytes(server_->pid());
  std::atomic<size_t> most = 0;
  std::jthread meter([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      most = std::max(most.load(), memory());
      std::this_thread::sleep_for(20ms);
    }
  });
  const testkit::MachineShare our_share(server_->pid());
  const auto end = std::chrono::steady_clock::now() + length;
  while (std::chrono::steady_clock::now() < end && alive()) one_round(honest, end);
  const double share = our_share.measure();
  meter.request_stop();
  meter.join();
  ASSERT_TRUE(alive()) << "the server ended:\n" << server_->said();

  // Large objects may have filled the disk; it is compacted within seconds. Then nothing is
  // refused.
  EXPECT_TRUE(holds_within(30s, [&] { return ready() && writable(); })) << unready();
  honest.begin("after");
  EXPECT_TRUE(holds_within(30s, [&] { return honest.current().writes.count() > 20; }));
  honest.finish();
  testkit::Latencies reads;
  for (const HonestUser::Phase& phase : honest.phases()) reads.add(phase.reads);
  clean_up();
  const auto kept = [&] { return testkit::private_bytes(server_->pid()); };
  const bool returned = holds_within(kHistory, [&] { return kept() < before + kKept; });
  std::cout << "memory at most " << most / kMega << " MB; without code " << before / kMega
            << " MB, then " << kept() / kMega << " MB; " << honest.acknowledged()
            << " writes acknowledged; reads " << text(reads) << "; our share " << share
            << std::endl;
  EXPECT_EQ(honest.failures(), std::vector<std::string>());
  EXPECT_EQ(honest.phases().back().refused, 0);
  expect_nothing_lost(honest);
  expect_works();
  EXPECT_LT(most, kMemory);
  EXPECT_TRUE(returned);
  if (share < 0.5) {
    std::cout << "the machine is too busy to judge by how quickly it answers" << std::endl;
  } else {
    EXPECT_LT(reads.percentile(99), testkit::allowed(100, share));
  }
  EXPECT_EQ(server_->stop(SIGTERM), 0) << server_->said();
}

}  // namespace
}  // namespace proa::e2e

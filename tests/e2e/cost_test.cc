// Requests of a user with a token that would cost far more than their size: the built program
// answers each with a 4xx or does what it says, in an answer of about the size of the request, and
// without taking much memory.
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <thread>
#include <vector>

#include "admin.h"
#include "attacks/costly_requests.h"
#include "server.h"

namespace proa::e2e {
namespace {

// Above what the program takes anyhow. The budget of a request is 32 MiB for a document; there are
// copies, and what parsing needs.
constexpr size_t kMaxGrowth = size_t{160} << 20;
// The largest body that is read is 3 MiB.
constexpr size_t kMaxAnswer = size_t{4} << 20;

size_t memory_of(pid_t process, const std::string& what) {
  std::ifstream file("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(what + ":")) return std::stoull(line.substr(what.size() + 1)) * 1024;
  }
  return 0;
}

// The peak is that of the future.
void forget_peak(pid_t process) {
  std::ofstream("/proc/" + std::to_string(process) + "/clear_refs") << "5";
}

class Cost : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(server_.ready()) << server_.said();
    admin_.emplace(folder_.path() + "/data");
  }

  void run(const CostlyRequest& attack) {
    SCOPED_TRACE(attack.name);
    const size_t before = memory_of(server_.id(), "VmRSS");
    forget_peak(server_.id());
    const auto answer = admin_->send(attack.method, std::string(attack.target), attack.body,
                                     std::string(attack.content_type));
    ASSERT_TRUE(answer.ok()) << answer.status().message();
    const std::string_view text = answer->body.view();
    EXPECT_NE(std::find(attack.codes.begin(), attack.codes.end(), answer->status),
              attack.codes.end())
        << answer->status << " " << text.substr(0, 500);
    EXPECT_NE(text.find(attack.says), std::string_view::npos) << text.substr(0, 500);
    EXPECT_LE(text.size(), kMaxAnswer);
    const size_t peak = memory_of(server_.id(), "VmHWM");
    EXPECT_LE(peak, before + kMaxGrowth);
    RecordProperty(std::string(attack.name), static_cast<int>((peak - before) >> 20));
  }

  TemporaryFolder folder_;
  Server server_{folder_.path() + "/data"};
  std::optional<Admin> admin_;
};

TEST_F(Cost, OfEachRequestIsBounded) {
  for (const CostlyRequest& attack : creations()) run(attack);
  for (const CostlyRequest& attack : patches()) run(attack);
  EXPECT_EQ(admin_->ask("POST", kMaps, config_map("after", 1)).code, 201);
  EXPECT_EQ(server_.stop(SIGTERM), 0) << server_.said();
}

TEST_F(Cost, DoesNotKeepTheProgramFromEnding) {
  std::vector<std::jthread> clients;
  const std::vector<CostlyRequest> attacks = creations();
  ASSERT_EQ(
      admin_->send("POST", std::string(kRoles), attacks.back().body, std::string(kJson))->status,
      201);
  const CostlyRequest patch = patches().front();
  for (int i = 0; i < 32; ++i) {
    clients.emplace_back([&] {
      (void)admin_->send(patch.method, std::string(patch.target), patch.body,
                         std::string(patch.content_type));
    });
  }
  EXPECT_EQ(server_.stop(SIGTERM), 0) << server_.said();
}

}  // namespace
}  // namespace proa::e2e

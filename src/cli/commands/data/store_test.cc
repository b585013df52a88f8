#include "cli/commands/data/store.h"

#include <gtest/gtest.h>

#include "base/clock.h"
#include "cli/commands/table.h"
#include "cli/program.h"
#include "store/rocks/rocks_store.h"
#include "testkit/process.h"

namespace proa::cli {
namespace {

class Captured final : public Terminal {
 public:
  void out(std::string_view text) override { out_ += text; }
  void error(std::string_view text) override { error_ += text; }

  std::string out_;
  std::string error_;
};

class StoreCommand : public testing::Test {
 protected:
  void put(const std::string& key, const std::string& value) {
    const auto store = store::open_rocks_store(directory_, clock_, random_).value();
    store::Txn txn;
    txn.operations.push_back(store::Put{.key = key, .value = Bytes(std::string(value))});
    ASSERT_TRUE(store->commit(std::move(txn), store::Durability::kSynced).ok());
  }

  std::string value(const std::string& key) {
    const auto store = store::open_rocks_store(directory_, clock_, random_).value();
    return std::string(store->get(key).value()->value());
  }

  int run(std::vector<std::string> words) {
    words.push_back(directory_);
    terminal_ = {};
    return run_program(
        program_commands(), words, [](const char*) -> const char* { return nullptr; }, terminal_);
  }

  SystemClock clock_;
  SystemRandom random_;
  Captured terminal_;
  const testkit::TempDir folder_;
  const std::string directory_ = folder_.path() + "/store";
};

constexpr const char* kRest =
    R"("metadata":{"name":"a","namespace":"default","resourceVersion":"1"},"data":{"x":"1"}})";

TEST_F(StoreCommand, FindsAndRepairsObjectsWithoutTheirKind) {
  put("/registry/configmaps/default/a", std::string(R"({"apiVersion":"v1",)") + kRest);
  put("/registry/configmaps/default/b",
      R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"b","namespace":"default"}})");
  EXPECT_EQ(run({"store", "check"}), kExitFailed);
  EXPECT_EQ(terminal_.out_,
            "/registry/configmaps/default/a has kind none instead of \"ConfigMap\"; repair it with "
            "`proa store check --repair " +
                directory_ + "`\n");
  EXPECT_EQ(run({"store", "check", "--repair"}), kExitOk) << terminal_.error_;
  EXPECT_EQ(terminal_.out_,
            "/registry/configmaps/default/a has kind none instead of \"ConfigMap\"; repaired\n");
  EXPECT_EQ(run({"store", "check"}), kExitOk);
  EXPECT_EQ(terminal_.out_, directory_ + ": no errors found\n");
  const std::string repaired = value("/registry/configmaps/default/a");
  EXPECT_TRUE(repaired.starts_with(R"({"kind":"ConfigMap","apiVersion":"v1","metadata":)"))
      << repaired;
  // Watchers must see a new revision.
  EXPECT_EQ(repaired.find(R"("resourceVersion":"1")"), std::string::npos) << repaired;
}

TEST_F(StoreCommand, SaysWhatItCannotRepair) {
  put("/registry/configmaps/default/a", "[1]");
  EXPECT_EQ(run({"store", "check", "--repair"}), kExitFailed);
  EXPECT_EQ(terminal_.out_,
            "/registry/configmaps/default/a is not a JSON object; not repaired: it is not an "
            "object\n");
}

}  // namespace
}  // namespace proa::cli

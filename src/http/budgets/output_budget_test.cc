#include "http/budgets/output_budget.h"

#include <gtest/gtest.h>

#include <string>

namespace proa::http {
namespace output_budget_test {

class Stream final : public OutputLane::Holder {
 public:
  explicit Stream(OutputLane& lane) : lane_(lane) {}

  void write(Bytes bytes) { queue_.push_back(lane_.charge(*this, std::move(bytes))); }
  void write_own(size_t bytes) { lane_.set_own(*this, own_ += bytes); }
  void read_all() {
    queue_.clear();
    leave();
  }
  void read_some() { progressed(); }
  bool dropped() const { return dropped_; }

 private:
  size_t unsent_bytes() const override {
    size_t sum = own_;
    for (const Bytes& bytes : queue_) sum += bytes.size();
    return sum;
  }
  void drop_unsent() override {
    queue_.clear();
    own_ = 0;
    dropped_ = true;
  }

  OutputLane& lane_;
  std::vector<Bytes> queue_;
  size_t own_ = 0;
  bool dropped_ = false;
};

class OutputBudgetTest : public testing::Test {
 protected:
  std::shared_ptr<OutputLane> add_lane() {
    return budget_->add_lane(
        [this](std::function<void()> task) { posted_.push_back(std::move(task)); });
  }
  void run_posted() {
    for (const auto& task : std::exchange(posted_, {})) task();
  }
  static Bytes bytes(size_t size) { return Bytes(std::string(size, 'x')); }

  std::shared_ptr<OutputBudget> budget_ = std::make_shared<OutputBudget>(1000);
  std::vector<std::function<void()>> posted_;
  std::shared_ptr<OutputLane> lane_ = add_lane();
};

TEST_F(OutputBudgetTest, CountsSharedBytesOnce) {
  std::vector<std::unique_ptr<Stream>> streams;
  const Bytes event = bytes(900);
  for (int i = 0; i < 100; ++i) {
    streams.push_back(std::make_unique<Stream>(*lane_));
    streams.back()->write(event);
    streams.back()->write(event.slice(100));
  }
  EXPECT_EQ(budget_->bytes(), 900U);
  streams.resize(1);
  EXPECT_EQ(budget_->bytes(), 900U);
  streams.clear();
  EXPECT_EQ(budget_->bytes(), 0U);
}

TEST_F(OutputBudgetTest, DropsThoseWithoutProgressForLongest) {
  Stream a(*lane_);
  Stream b(*lane_);
  Stream c(*lane_);
  a.write(bytes(300));
  b.write(bytes(300));
  c.write_own(300);
  a.read_some();
  Stream d(*lane_);
  d.write(bytes(200));
  EXPECT_TRUE(b.dropped());
  EXPECT_FALSE(a.dropped() || c.dropped() || d.dropped());
  EXPECT_EQ(budget_->bytes(), 800U);
  d.write_own(900);
  EXPECT_TRUE(a.dropped() && c.dropped());
  EXPECT_FALSE(d.dropped()) << "the only one left may exceed the budget";
  EXPECT_EQ(budget_->bytes(), 1100U);
  d.read_all();
  EXPECT_EQ(budget_->bytes(), 0U);
}

TEST_F(OutputBudgetTest, AsksOtherLoopsWhenThisOneHasNothingToDrop) {
  const auto other = add_lane();
  Stream far(*other);
  far.write(bytes(900));
  Stream near(*lane_);
  near.write(bytes(200));
  EXPECT_FALSE(near.dropped() || far.dropped());
  run_posted();
  EXPECT_TRUE(far.dropped() || near.dropped());
  EXPECT_LE(budget_->bytes(), 1000U);
}

TEST_F(OutputBudgetTest, LeavesStaticTextAlone) {
  Stream stream(*lane_);
  stream.write(Bytes::of_static("hello"));
  EXPECT_EQ(budget_->bytes(), 0U);
}

TEST_F(OutputBudgetTest, IsOutlivedByBytes) {
  Bytes kept;
  {
    auto stream = std::make_unique<Stream>(*lane_);
    kept = lane_->charge(*stream, bytes(10));
  }
  lane_.reset();
  EXPECT_EQ(budget_->bytes(), 10U);
  kept = {};
  EXPECT_EQ(budget_->bytes(), 0U);
}

}  // namespace output_budget_test
}  // namespace proa::http

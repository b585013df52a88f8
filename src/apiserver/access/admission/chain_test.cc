#include "apiserver/access/admission/chain.h"

#include <gtest/gtest.h>

#include <stop_token>

#include "apiserver/access/admission/cluster/plugin_case.h"
#include "json/parse.h"
#include "json/print.h"
#include "testkit/fake_clock.h"

namespace proa::apiserver {
namespace {

// Takes a second, and refuses what it is told to.
class Slow final : public AdmissionPlugin {
 public:
  Slow(testkit::FakeClock& clock, bool concerned, bool refuses)
      : clock_(clock), concerned_(concerned), refuses_(refuses) {}

  bool concerns(const Admission&) const override { return concerned_; }
  Result<void> admit(api::Edit, const Admission&) override { return work(); }
  Result<void> admit_deletion(const Admission&) override { return work(); }
  Result<void> validate(api::View, const Admission&) override { return work(); }

 private:
  Result<void> work() {
    clock_.advance(std::chrono::seconds(1));
    if (refuses_) return Status(Reason::kForbidden, "no");
    return {};
  }

  testkit::FakeClock& clock_;
  const bool concerned_;
  const bool refuses_;
};

// Replaces objects, as webhooks and policies do.
class Replacing final : public AdmissionPlugin {
 public:
  explicit Replacing(std::string_view by) : by_(json::parse_literal(by)) {}

  bool concerns(const Admission&) const override { return true; }
  Result<void> admit(api::Edit object, const Admission& admission) override {
    admission.replace(object, by_.root());
    return {};
  }

 private:
  const json::Document by_;
};

class AdmissionChainTest : public testing::Test {
 protected:
  AdmissionChain chain(bool refuses) {
    std::vector<NamedPlugin> plugins;
    plugins.push_back({"First", std::make_unique<Slow>(clock_, true, false)});
    plugins.push_back({"Unconcerned", std::make_unique<Slow>(clock_, false, false)});
    plugins.push_back({"", std::make_unique<Slow>(clock_, true, refuses)});
    return {std::move(plugins), clock_};
  }
  static std::string text(const AdmissionChain& chain) {
    MetricsText text;
    chain.write_metrics(text);
    return text.take();
  }
  Admission write(Operation operation) const {
    return {.request = request_, .operation = operation, .old = {}};
  }

  testkit::FakeClock clock_;
  Request request_;
};

TEST_F(AdmissionChainTest, MeasuresStepsAndPlugins) {
  const AdmissionChain measured = chain(false);
  EXPECT_TRUE(measured.validate({}, write(Operation::kUpdate)).ok());
  EXPECT_TRUE(measured.admit_deletion(write(Operation::kDelete)).ok());
  const std::string got = text(measured);
  const auto has = [&](const std::string& line) {
    return got.find("apiserver_admission_" + line + "\n") != std::string::npos;
  };
  EXPECT_TRUE(
      has("step_admission_duration_seconds_sum{type=\"validate\",operation=\"UPDATE\","
          "rejected=\"false\"} 2"))
      << got;
  EXPECT_TRUE(
      has("step_admission_duration_seconds_count{type=\"admit\",operation=\"DELETE\","
          "rejected=\"false\"} 1"))
      << got;
  EXPECT_TRUE(
      has("step_admission_duration_seconds_summary_sum{type=\"validate\",operation=\"UPDATE\","
          "rejected=\"false\"} 2"))
      << got;
  for (const char* rank : {"0.5", "0.9", "0.99"}) {
    // Estimated: about two seconds.
    const std::string sample =
        "step_admission_duration_seconds_summary{type=\"validate\",operation=\"UPDATE\","
        "rejected=\"false\",quantile=\"" +
        std::string(rank) + "\"} ";
    const size_t at = got.find(sample);
    ASSERT_NE(at, std::string::npos) << got;
    EXPECT_NEAR(std::stod(got.substr(at + sample.size())), 2, 0.05);
  }
  EXPECT_TRUE(
      has("controller_admission_duration_seconds_sum{name=\"First\",type=\"validate\","
          "operation=\"UPDATE\",rejected=\"false\"} 1"))
      << got;
  EXPECT_EQ(got.find("Unconcerned"), std::string::npos);
  EXPECT_EQ(got.find("name=\"\""), std::string::npos);
}

TEST_F(AdmissionChainTest, FailsOnceTheRequestIsOver) {
  const AdmissionChain chain = this->chain(false);
  request_.until = Until::after(clock_, std::chrono::milliseconds(1500));
  EXPECT_TRUE(chain.validate({}, write(Operation::kCreate)).is(Reason::kTimeout));
  std::stop_source client;
  request_.until = {.stop = client.get_token()};
  EXPECT_TRUE(chain.admit_deletion(write(Operation::kDelete)).ok());
  client.request_stop();
  EXPECT_TRUE(chain.admit_deletion(write(Operation::kDelete)).is(Reason::kTimeout));
}

TEST_F(AdmissionChainTest, RestoresManagedFieldsThatWereDamaged) {
  std::vector<NamedPlugin> plugins;
  plugins.push_back({"", std::make_unique<Replacing>(
                             R"({"metadata":{"managedFields":[{"operation":"x"}]},"data":{}})")});
  const AdmissionChain chain(std::move(plugins), clock_);
  Warnings warnings;
  request_.warnings = &warnings;
  constexpr std::string_view kManagers =
      R"("managedFields":[{"manager":"m","operation":"Update","apiVersion":"v1"}])";
  json::Document object = json::parse_literal("{\"metadata\":{" + std::string(kManagers) + "}}");
  EXPECT_TRUE(chain.admit(api::Edit(object), write(Operation::kUpdate)).ok());
  EXPECT_EQ(json::print(object.root()),
            "{\"metadata\":{" + std::string(kManagers) + "},\"data\":{}}");
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_TRUE(warnings[0].ends_with(": operation must be `Apply` or `Update`"));
}

TEST_F(AdmissionChainTest, SaysWhatIsRejected) {
  const AdmissionChain refusing = chain(true);
  EXPECT_FALSE(refusing.validate({}, write(Operation::kCreate)).ok());
  const std::string got = text(refusing);
  EXPECT_NE(got.find("step_admission_duration_seconds_count{type=\"validate\",operation=\"CREATE\","
                     "rejected=\"true\"} 1"),
            std::string::npos)
      << got;
  EXPECT_NE(got.find("name=\"First\",type=\"validate\",operation=\"CREATE\",rejected=\"false\""),
            std::string::npos);
}

}  // namespace
}  // namespace proa::apiserver

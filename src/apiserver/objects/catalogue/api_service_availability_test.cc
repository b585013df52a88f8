#include "apiserver/objects/catalogue/api_service_availability.h"

#include <gtest/gtest.h>

#include "api/schema/builtin.h"
#include "store/memory/memory_store.h"
#include "testkit/apiserver/put_object.h"
#include "testkit/fake_clock.h"

namespace proa::apiserver {
namespace {

class ApiServiceAvailabilityTest : public testing::Test {
 protected:
  void put(const std::string& conditions) {
    testkit::put_object(
        *store_,
        *api::builtin_schema().find_resource("apiregistration.k8s.io", "v1", "apiservices"),
        R"({"metadata":{"name":"v1.example.com"},"status":{"conditions":[)" + conditions + "]}}");
  }
  // The samples, without comments.
  std::string samples() {
    MetricsText text;
    availability_.write(text);
    const std::string all = text.take();
    std::string found;
    for (size_t begin = 0; begin < all.size();) {
      const size_t end = all.find('\n', begin) + 1;
      if (all[begin] != '#') found += all.substr(begin, end - begin);
      begin = end;
    }
    return found;
  }

  testkit::FakeClock clock_;
  std::unique_ptr<store::Store> store_ = store::make_memory_store(clock_);
  ApiServiceAvailability availability_{*store_};
};

constexpr const char* kAvailable = R"({"type":"Available","status":"True","reason":"Passed"})";
constexpr const char* kFailing =
    R"({"type":"Available","status":"False","reason":"FailedDiscoveryCheck"})";

TEST_F(ApiServiceAvailabilityTest, CountsWhatBecomesUnavailable) {
  const std::string down = "aggregator_unavailable_apiservice{name=\"v1.example.com\"} 1\n";
  const std::string up = "aggregator_unavailable_apiservice{name=\"v1.example.com\"} 0\n";
  const std::string total =
      "aggregator_unavailable_apiservice_total{name=\"v1.example.com\",reason=";
  EXPECT_EQ(samples(), "");
  // It was never available.
  put("");
  EXPECT_EQ(samples(), down);
  put(kFailing);
  EXPECT_EQ(samples(), down);
  put(kAvailable);
  EXPECT_EQ(samples(), up);
  put(kFailing);
  // Several changes before one look.
  put(kAvailable);
  put("");
  EXPECT_EQ(samples(),
            down + total + "\"FailedDiscoveryCheck\"} 1\n" + total + "\"UnknownReason\"} 1\n");
}

TEST_F(ApiServiceAvailabilityTest, ForgetsWhatIsDeleted) {
  put(kAvailable);
  EXPECT_NE(samples(), "");
  ASSERT_TRUE(store_
                  ->commit({.compares = {},
                            .operations = {store::Delete{
                                "/registry/apiregistration.k8s.io/apiservices/v1.example.com"}}},
                           store::Durability::kSynced)
                  .ok());
  EXPECT_EQ(samples(), "");
}

}  // namespace
}  // namespace proa::apiserver

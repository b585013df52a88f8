#include "controllers/workload/autoscaler/metric_proposals.h"

#include <gtest/gtest.h>

#include "controllers/workload/autoscaler/fake_metrics.h"
#include "json/print.h"

namespace proa::controllers {
namespace {

class MetricProposalsTest : public testing::Test {
 protected:
  MetricProposalsTest() {
    pod_.readiness = PodSample::Readiness{.is_true = true, .is_false = false, .since = Time{}};
    pod_.started = Time{};
    pod_.containers = {{"main", {{"cpu", api::Quantity(1)}, {"memory", api::Quantity(1 << 20)}}}};
    scaled_.replicas = 1;
    scaled_.pods = {&pod_};
    scaled_.now = Time(std::chrono::hours(1000));
  }

  MetricProposal ask(const std::string& metric) {
    FakeMetrics source(measured_);
    const objects::Metric spec = api::decode<objects::Metric>(metric).value();
    status_ = json::Document({}, json::Value::object());
    return evaluate_metric(
        source,
        {.name_space = "team", .selector = selector_, .scaled = scaled_, .status_replicas = 1},
        spec, api::Edit(status_));
  }
  void measure(int64_t value) {
    measured_.pods = PodMetrics{{"p", {scaled_.now, std::chrono::minutes(1), value}}};
  }
  std::string status() const { return json::print(status_.root()); }

  PodSample pod_{.name = "p", .phase = "Running"};
  ScaledPods scaled_;
  const api::LabelSelector selector_ = *api::LabelSelector::parse("app=web");
  FakeMeasurements measured_;
  json::Document status_;
};

constexpr const char* kLabelled = R"("metric":{"name":"qps","selector":{"matchLabels":{"a":"b"}}})";

TEST_F(MetricProposalsTest, RequestsResourceMetrics) {
  measure(800);
  const MetricProposal proposal =
      ask(R"({"type":"Resource","resource":{"name":"cpu","target":{"averageUtilization":40}}})");
  EXPECT_EQ(measured_.asked, "resource cpu team app=web ");
  EXPECT_EQ(proposal.replicas, 2);
  EXPECT_EQ(proposal.name, "cpu resource utilization (percentage of request)");
  EXPECT_EQ(status(),
            R"({"type":"Resource","resource":{"name":"cpu","current":{"averageUtilization":80,)"
            R"("averageValue":"800m"}}})");
}

TEST_F(MetricProposalsTest, RequestsContainerResourceMetrics) {
  measure(1500);
  const MetricProposal proposal =
      ask(R"({"type":"ContainerResource","containerResource":{"name":"cpu","container":"main",)"
          R"("target":{"averageUtilization":50}}})");
  EXPECT_EQ(measured_.asked, "resource cpu team app=web main");
  EXPECT_EQ(proposal.replicas, 3);
  EXPECT_EQ(proposal.name, "cpu container resource utilization (percentage of request)");
  EXPECT_EQ(status(),
            R"({"type":"ContainerResource","containerResource":{"name":"cpu","container":"main",)"
            R"("current":{"averageUtilization":150,"averageValue":"1500m"}}})");
}

TEST_F(MetricProposalsTest, ReportsMemoryInBinaryUnits) {
  measure(int64_t{3} << 20 << 10);
  measured_.pods->at("p").value = (int64_t{3} << 20) * 1000;
  const MetricProposal proposal =
      ask(R"({"type":"Resource","resource":{"name":"memory","target":{"averageValue":"1Mi"}}})");
  EXPECT_EQ(proposal.replicas, 3);
  EXPECT_EQ(proposal.name, "memory resource");
  EXPECT_EQ(status(),
            R"({"type":"Resource","resource":{"name":"memory","current":{"averageValue":"3Mi"}}})");
}

TEST_F(MetricProposalsTest, RequestsPodMetrics) {
  measure(30000);
  const MetricProposal proposal = ask(std::string(R"({"type":"Pods","pods":{)") + kLabelled +
                                      R"(,"target":{"averageValue":"10"}}})");
  EXPECT_EQ(measured_.asked, "pods qps team app=web a=b");
  EXPECT_EQ(proposal.replicas, 3);
  EXPECT_EQ(proposal.name, "pods metric qps");
  EXPECT_EQ(status(), R"({"type":"Pods","pods":{"metric":{"name":"qps","selector":{"matchLabels":)"
                      R"({"a":"b"}}},"current":{"averageValue":"30"}}})");
}

TEST_F(MetricProposalsTest, RequestsObjectMetrics) {
  measured_.object = 20000;
  const std::string front =
      std::string(
          R"({"type":"Object","object":{"describedObject":{"kind":"Ingress","name":"i"},)") +
      kLabelled;
  MetricProposal proposal = ask(front + R"(,"target":{"type":"Value","value":"10"}}})");
  EXPECT_EQ(measured_.asked, "object qps team i a=b");
  EXPECT_EQ(proposal.replicas, 2);
  EXPECT_EQ(proposal.name, "Ingress metric qps");
  EXPECT_EQ(status(),
            R"({"type":"Object","object":{"metric":{"name":"qps","selector":{"matchLabels":)"
            R"({"a":"b"}}},"current":{"value":"20"},"describedObject":{"kind":"Ingress",)"
            R"("name":"i"}}})");
  proposal = ask(front + R"(,"target":{"type":"AverageValue","averageValue":"5"}}})");
  EXPECT_EQ(proposal.replicas, 4);
  // Upstream calls it external, too.
  EXPECT_EQ(proposal.name,
            "external metric qps(&LabelSelector{MatchLabels:map[string]string{a: b,},"
            "MatchExpressions:[]LabelSelectorRequirement{},})");
}

TEST_F(MetricProposalsTest, RequestsExternalMetrics) {
  measured_.external = {8000, 12000};
  const std::string front = R"({"type":"External","external":{"metric":{"name":"qps"})";
  MetricProposal proposal = ask(front + R"(,"target":{"type":"Value","value":"10"}}})");
  EXPECT_EQ(measured_.asked, "external qps team ");
  EXPECT_EQ(proposal.replicas, 2);
  EXPECT_EQ(proposal.name, "external metric qps(nil)");
  EXPECT_EQ(status(),
            R"({"type":"External","external":{"metric":{"name":"qps"},"current":{"value":"20"}}})");
  proposal = ask(front + R"(,"target":{"type":"AverageValue","averageValue":"5"}}})");
  EXPECT_EQ(proposal.replicas, 4);
}

TEST_F(MetricProposalsTest, FailsWithUpstreamsMessages) {
  const struct {
    std::string metric;
    const char* reason;
    const char* message;
    const char* context;
  } cases[] = {
      {R"({"type":"Resource","resource":{"name":"cpu","target":{"averageUtilization":40}}})",
       "FailedGetResourceMetric",
       "failed to get cpu utilization: unable to get metrics for resource cpu: nothing measured",
       "failed to get cpu resource metric value: "},
      {R"({"type":"Resource","resource":{"name":"cpu","target":{"averageValue":"1"}}})",
       "FailedGetResourceMetric",
       "failed to get cpu usage: unable to get metrics for resource cpu: nothing measured",
       "failed to get cpu resource metric value: "},
      {R"({"type":"Resource","resource":{"name":"cpu","target":{}}})", "FailedGetResourceMetric",
       "invalid resource metric source: neither an average utilization target nor an average value "
       "(usage) target was set",
       "failed to get cpu resource metric value: "},
      {R"({"type":"ContainerResource","containerResource":{"name":"cpu","container":"main",)"
       R"("target":{"averageUtilization":50}}})",
       "FailedGetContainerResourceMetric",
       "failed to get cpu utilization: unable to get metrics for resource cpu: nothing measured",
       "failed to get main container metric value: "},
      {std::string(R"({"type":"Pods","pods":{)") + kLabelled +
           R"(,"target":{"averageValue":"10"}}})",
       "FailedGetPodsMetric", "unable to get metric qps: nothing measured",
       "failed to get pods metric value: "},
      {std::string(
           R"({"type":"Object","object":{"describedObject":{"kind":"Ingress","name":"i"},)") +
           kLabelled + R"(,"target":{"type":"Value","value":"10"}}})",
       "FailedGetObjectMetric", "unable to get metric qps: Ingress on team i/nothing measured",
       "failed to get object metric value: "},
      {R"({"type":"External","external":{"metric":{"name":"qps"},"target":{"value":"10"}}})",
       "FailedGetExternalMetric", "unable to get external metric team/qps/nil: nothing measured",
       "failed to get qps external metric value: failed to get external metric qps: "},
      {R"({"type":"Other"})", "InvalidMetricSourceType", R"(unknown metric source type "Other")",
       ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.metric);
    const MetricProposal proposal = ask(c.metric);
    ASSERT_TRUE(proposal.failure);
    EXPECT_EQ(proposal.failure->reason, c.reason);
    EXPECT_EQ(proposal.failure->message, c.message);
    EXPECT_EQ(proposal.failure->context, c.context);
    EXPECT_EQ(status(), R"({"type":""})");
  }
}

TEST(AbsentMetrics, FailAsUpstreamDoesWithoutTheApis) {
  const std::unique_ptr<MetricsSource> source = make_absent_metrics();
  EXPECT_EQ(source->resource("cpu", "n", {}, "").status().message(),
            "unable to fetch metrics from resource metrics API: the server could not find the "
            "requested resource (get pods.metrics.k8s.io)");
  EXPECT_EQ(source->pods("qps", "n", {}, {}).status().message(),
            "unable to fetch metrics from custom metrics API: no custom metrics API "
            "(custom.metrics.k8s.io) registered");
  EXPECT_EQ(source->external("qps", "n", {}).status().message(),
            "unable to fetch metrics from external metrics API: the server could not find the "
            "requested resource (get qps.external.metrics.k8s.io)");
}

}  // namespace
}  // namespace proa::controllers

#include "apiserver/front/tracing/configuration.h"

#include <gtest/gtest.h>

namespace proa::apiserver::tracing {
namespace {

Result<Configuration> read(const std::string& fields, const std::string& version = "v1") {
  return read_configuration("apiVersion: apiserver.config.k8s.io/" + version +
                            "\nkind: TracingConfiguration\n" + fields);
}

TEST(TracingConfiguration, HasDefaults) {
  for (const char* version : {"v1", "v1beta1", "v1alpha1"}) {
    SCOPED_TRACE(version);
    const auto configuration = read("", version);
    ASSERT_TRUE(configuration.ok()) << configuration.status().message();
    EXPECT_EQ(configuration->collector.str(), "http://localhost:4317");
    EXPECT_EQ(configuration->collector.protocol, http::HttpProtocol::kHttp2);
    EXPECT_EQ(configuration->sampled_per_million, 0u);
  }
}

TEST(TracingConfiguration, NamesTheCollectorAsGrpcDoes) {
  struct Case {
    const char* endpoint;
    const char* origin;
  };
  for (const Case& c : {Case{"collector:4317", "http://collector:4317"},
                        Case{"\"[::1]:4317\"", "http://[::1]:4317"},
                        Case{"dns:///collector:1234", "http://collector:1234"},
                        Case{"dns://8.8.8.8/collector:1234", "http://collector:1234"},
                        Case{"unix:///run/otel.sock", "unix:/run/otel.sock"},
                        Case{"\"unix:/run/otel.sock\"", "unix:/run/otel.sock"}}) {
    SCOPED_TRACE(c.endpoint);
    const auto configuration =
        read("samplingRatePerMillion: 1000000\nendpoint: " + std::string(c.endpoint));
    ASSERT_TRUE(configuration.ok()) << configuration.status().message();
    EXPECT_EQ(configuration->collector.str(), c.origin);
    EXPECT_EQ(configuration->sampled_per_million, 1'000'000u);
  }
}

TEST(TracingConfiguration, ErrorsAreUpstreams) {
  struct Case {
    const char* fields;
    const char* message;
  };
  for (const Case& c : {
           Case{"samplingRatePerMillion: -1",
                "failed to validate tracing configuration: samplingRatePerMillion: Invalid value: "
                "-1: sampling rate must be positive"},
           Case{"samplingRatePerMillion: 1000001",
                "failed to validate tracing configuration: samplingRatePerMillion: Invalid value: "
                "1000001: sampling rate per million must be less than or equal to one million"},
           Case{"endpoint: ftp://a:1",
                "failed to validate tracing configuration: endpoint: Invalid value: \"ftp://a:1\": "
                "unsupported scheme: ftp.  Options are none, dns, unix, or unix-abstract.  See "
                "https://github.com/grpc/grpc/blob/master/doc/naming.md"},
           Case{"rate: 5",
                "unable to decode tracing configuration data: strict decoding error: unknown "
                "field \"rate\""},
       }) {
    SCOPED_TRACE(c.fields);
    const auto configuration = read(c.fields);
    ASSERT_TRUE(configuration.is(Reason::kInvalid));
    EXPECT_EQ(configuration.status().message(), c.message);
  }
  for (const char* fields : {"samplingRatePerMillion: \"7\"", "endpoint: 7", "endpoint: a:b:c:x",
                             "endpoint: a:99999", "endpoint: \"[::1\"", "{"}) {
    SCOPED_TRACE(fields);
    EXPECT_TRUE(read(fields).is(Reason::kInvalid));
  }
  EXPECT_TRUE(read("", "v2").is(Reason::kInvalid));
  EXPECT_TRUE(read_configuration("kind: Policy").is(Reason::kInvalid));
}

}  // namespace
}  // namespace proa::apiserver::tracing

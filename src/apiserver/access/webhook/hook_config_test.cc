#include "apiserver/access/webhook/hook_config.h"

#include <gtest/gtest.h>

#include "json/parse.h"

namespace proa::apiserver {
namespace {

std::string read(const char* text) {
  const json::Document document = json::parse_literal(text);
  const Result<HookConfig> config = HookConfig::read(document.root());
  if (!config) return config.status().message();
  return config->url + (config->service ? " of a service" : "") +
         (config->authority_pem.empty() ? "" : " with " + config->authority_pem);
}

TEST(HookConfig, IsAUrlOrAService) {
  const struct {
    const char* name;
    const char* config;
    const char* wanted;
  } cases[] = {
      {"a URL", R"({"url":"https://a.example/x"})", "https://a.example/x"},
      {"a bundle", R"({"url":"https://a","caBundle":"UEVN"})", "https://a with PEM"},
      {"a blank bundle", R"({"url":"https://a","caBundle":"Cg=="})", "https://a"},
      {"no bundle", R"({"url":"https://a","caBundle":"?"})", "the CA bundle is not base64"},
      {"a service", R"({"service":{"name":"s","namespace":"n","path":"/p","port":8443}})",
       "https://s.n.svc:8443/p of a service"},
      {"without path and port", R"({"service":{"name":"s","namespace":"n"}})",
       "https://s.n.svc:443/ of a service"},
      {"another path", R"({"service":{"name":"a/b","namespace":"n"}})",
       R"(no service of a cluster is named "n/a/b")"},
      {"another host", R"({"service":{"name":"a.example:1?","namespace":"n"}})",
       R"(no service of a cluster is named "n/a.example:1?")"},
      {"another folder", R"({"service":{"name":"s","namespace":"../kube-system"}})",
       R"(no service of a cluster is named "../kube-system/s")"},
      {"neither", "{}", "webhook configuration must have either service or URL"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(read(c.config), c.wanted);
  }
}

}  // namespace
}  // namespace proa::apiserver

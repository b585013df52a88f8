#include "apiserver/streaming/webhooks/conversion_webhooks.h"

namespace proa::apiserver {

Result<std::vector<json::Document>> ConversionWebhooks::ask(const HookConfig& config,
                                                            const ConversionQuestion& question) {
  const Result<Bytes> answer = hooks_.post(config, Bytes(conversion_text(question)));
  if (answer) return read_conversion(question, answer->view());
  // Others may come through later.
  if (answer.is(Reason::kTooManyRequests)) return answer.status();
  return conversion_failed(question, answer.status().message());
}

Result<std::vector<json::Document>> ConversionWebhooks::convert(
    const custom::Definition& definition, std::span<const json::Value* const> objects,
    std::string_view group_version) {
  const json::Document stated = TRY(definition.object()->document());
  const api::View webhook = api::View(stated.root())["spec"]["conversion"]["webhook"];
  const HookConfig config = TRY(HookConfig::read(webhook["clientConfig"]));
  const std::string version = TRY(review_version(webhook["conversionReviewVersions"]));
  return ask(config, {.version = version,
                      .uid = make_uid(random_),
                      .wanted = std::string(group_version),
                      .objects = objects});
}

}  // namespace proa::apiserver

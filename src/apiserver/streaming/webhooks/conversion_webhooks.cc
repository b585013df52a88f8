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

Result<std::vector<json::Document>> ConversionWebhooks::call(
    const custom::Definition& definition, std::span<const json::Value* const> objects,
    std::string_view group_version, ConversionStage& stage) {
  const json::Document stated = TRY(definition.object()->document());
  const api::View webhook = api::View(stated.root())["spec"]["conversion"]["webhook"];
  const HookConfig config = TRY(HookConfig::read(webhook["clientConfig"]));
  const std::string version = TRY(review_version(webhook["conversionReviewVersions"]));
  stage = ConversionStage::kCalling;
  return ask(config, {.version = version,
                      .uid = make_uid(random_),
                      .wanted = std::string(group_version),
                      .objects = objects,
                      .stage = &stage});
}

Result<std::vector<json::Document>> ConversionWebhooks::convert(
    const custom::Definition& definition, std::span<const json::Value* const> objects,
    std::string_view group_version) {
  const Steady begin = SystemClock().steady();
  ConversionStage stage = ConversionStage::kPreparing;
  Result<std::vector<json::Document>> converted = call(definition, objects, group_version, stage);
  probe_.end({.definition = definition.name(),
              // Of several objects, the first one's.
              .from = api::View(*objects.front())["apiVersion"].text(),
              .to = group_version,
              .reached = stage,
              .took = SystemClock().steady() - begin},
             converted ? nullptr : &converted.status());
  return converted;
}

}  // namespace proa::apiserver

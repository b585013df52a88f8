#pragma once

#include "apiserver/access/webhook/hook_caller.h"
#include "apiserver/streaming/webhooks/conversion_review.h"
#include "base/random.h"
#include "custom/definition/converter.h"
#include "custom/definition/definition.h"

namespace proa::apiserver {

// Converts custom objects by the webhooks of their definitions.
class ConversionWebhooks final : public custom::Converter {
 public:
  // REQUIRES: both outlive this.
  ConversionWebhooks(HookCaller& hooks, Random& random) : hooks_(hooks), random_(random) {}

  Result<std::vector<json::Document>> convert(const custom::Definition& definition,
                                              std::span<const json::Value* const> objects,
                                              std::string_view group_version) override;
  const ConversionProbe& probe() const { return probe_; }

 private:
  Result<std::vector<json::Document>> ask(const HookConfig& config,
                                          const ConversionQuestion& question);
  // Notes how far it came.
  Result<std::vector<json::Document>> call(const custom::Definition& definition,
                                           std::span<const json::Value* const> objects,
                                           std::string_view group_version, ConversionStage& stage);

  ConversionProbe probe_;

  HookCaller& hooks_;
  Random& random_;
};

}  // namespace proa::apiserver

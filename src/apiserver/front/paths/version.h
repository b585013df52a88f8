#pragma once

#include "apiserver/front/paths/path_handler.h"

namespace proa::apiserver {

// /version: a constant document.
class VersionPath final : public PathHandler {
 public:
  explicit VersionPath(std::string document) : document_(std::move(document)) {}

  std::optional<http::Response> answer(const http::RequestHead& head,
                                       const http::Target& target) override;

 private:
  const Bytes document_;
};

}  // namespace proa::apiserver

#pragma once

#include <map>
#include <string>

#include "apiserver/front/paths/path_handler.h"
#include "base/clock.h"

namespace proa::apiserver {

// What people who look for a cause read first: /statusz (since when it runs, and what it is) and
// /flagz (how it was started). Text, and upstream's objects of config.k8s.io/v1beta1 for those who
// ask for them.
class ZPages final : public PathHandler {
 public:
  using Flags = std::map<std::string, std::string, std::less<>>;
  // `version_document` is that of /version; `flags` the value of each flag, without secrets: they
  // are shown. The clock outlives it.
  ZPages(std::string_view version_document, Flags flags, const Clock& clock);

  std::optional<http::Response> answer(const http::RequestHead& head,
                                       const http::Target& target) override;

 private:
  struct Page;

  std::string status_text() const;
  std::string status_json(std::string_view version) const;
  std::string flags_text() const;
  std::string flags_json(std::string_view version) const;

  const Flags flags_;
  const Clock& clock_;
  const Time started_;
  std::string go_version_;
  std::string binary_version_;     // "1.36.4+proa"
  std::string emulation_version_;  // "1.36"
};

}  // namespace proa::apiserver

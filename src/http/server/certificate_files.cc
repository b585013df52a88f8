#include "http/server/certificate_files.h"

#include <uv.h>

#include <filesystem>
#include <set>

#include "base/log.h"

namespace proa::http {
namespace certificate_files {

const Log kLog("http");

constexpr size_t kMaxFile = 1024 * 1024;
// Certificate and key are two files: after a change of one, the other gets a moment to follow.
constexpr Duration kSettle = std::chrono::milliseconds(50);

}  // namespace certificate_files

// Watches directories, not files: writers of certificates replace the file (or, in mounted secrets,
// a link).
struct CertificateFiles::Watches {
  Watches(CertificateFiles& owner, const std::set<std::string>& directories)
      : settle(owner.loop_, [&owner] { owner.reload(); }) {
    for (const auto& directory : directories) {
      auto* event = new uv_fs_event_t{};
      uv_fs_event_init(owner.loop_.raw(), event);
      event->data = this;
      const auto changed = [](uv_fs_event_t* handle, const char*, int, int) {
        static_cast<Watches*>(handle->data)->settle.start(certificate_files::kSettle);
      };
      if (const int result = uv_fs_event_start(event, changed, directory.c_str(), 0); result != 0) {
        certificate_files::kLog.warn("watching certificate files failed, changes need a restart",
                                     {{"directory", directory}, {"error", uv_strerror(result)}});
      }
      events.push_back(event);
    }
  }
  ~Watches() {
    for (auto* event : events) {
      uv_close(reinterpret_cast<uv_handle_t*>(event),
               [](uv_handle_t* handle) { delete reinterpret_cast<uv_fs_event_t*>(handle); });
    }
  }

  Timer settle;
  std::vector<uv_fs_event_t*> events;  // freed by the loop once they are closed
};

CertificateFiles::CertificateFiles(Loop& loop, Files& files, Paths paths, TlsOptions options)
    : loop_(loop), files_(files), paths_(std::move(paths)), options_(std::move(options)) {}

CertificateFiles::~CertificateFiles() {
  loop_.run_and_wait([this] { watches_.reset(); });
}

Result<std::unique_ptr<CertificateFiles>> CertificateFiles::open(Loop& loop, Files& files,
                                                                 Paths paths, TlsOptions options) {
  std::unique_ptr<CertificateFiles> made(
      new CertificateFiles(loop, files, std::move(paths), std::move(options)));
  // Watched before they are read, so that no change is missed.
  loop.run_and_wait([&made] {
    const std::set<std::string> directories{
        std::filesystem::path(made->paths_.certificate).parent_path(),
        std::filesystem::path(made->paths_.private_key).parent_path()};
    made->watches_ = std::make_unique<Watches>(*made, directories);
  });
  Result<void> loaded;
  loop.run_and_wait([&] { loaded = made->load(); });
  TRY(loaded);
  return made;
}

Result<void> CertificateFiles::load() {
  TlsOptions fresh = options_;
  fresh.certificate_pem = TRY(files_.read_file(paths_.certificate, certificate_files::kMaxFile));
  fresh.private_key_pem = TRY(files_.read_file(paths_.private_key, certificate_files::kMaxFile));
  if (fresh.certificate_pem == options_.certificate_pem &&
      fresh.private_key_pem == options_.private_key_pem)
    return {};
  const auto context = TRY(TlsContext::server(fresh));
  options_ = std::move(fresh);
  source_.set(context);
  return {};
}

void CertificateFiles::reload() {
  const std::string before = options_.certificate_pem;
  const auto loaded = load();
  if (!loaded.ok()) {
    certificate_files::kLog.warn("reloading certificate files failed, keeping the old ones",
                                 {{"certificate", paths_.certificate}, {"error", loaded.status()}});
  } else if (options_.certificate_pem != before) {
    certificate_files::kLog.info("certificate reloaded", {{"certificate", paths_.certificate}});
  }
}

}  // namespace proa::http

#pragma once

#include <memory>
#include <string>

#include "base/files.h"
#include "http/net/loop.h"
#include "http/net/tls.h"

namespace proa::http {

// A server's certificate and key files, watched while the server runs: when they change, new
// connections use the new ones. Unusable files leave the old ones in force and log a warning. Not
// on a loop's thread.
class CertificateFiles {
 public:
  struct Paths {
    std::string certificate;
    std::string private_key;
  };

  // `options`: of the contexts, except for the certificate. A Status if the files are unusable at
  // the start.
  static Result<std::unique_ptr<CertificateFiles>> open(Loop& loop, Files& files, Paths paths,
                                                        TlsOptions options);
  ~CertificateFiles();
  CertificateFiles(const CertificateFiles&) = delete;
  CertificateFiles& operator=(const CertificateFiles&) = delete;

  const TlsSource& source() const { return source_; }

 private:
  struct Watches;
  CertificateFiles(Loop& loop, Files& files, Paths paths, TlsOptions options);
  Result<void> load();
  void reload();

  Loop& loop_;
  Files& files_;
  const Paths paths_;
  TlsOptions options_;  // with the current certificate
  TlsSource source_{nullptr};
  std::unique_ptr<Watches> watches_;  // loop thread only
};

}  // namespace proa::http

class Doctor < Formula
  desc "Diagnoses Kubernetes Windows nodes"
  homepage "{{.Home}}"
  version "{{.Number}}"
  license "Apache-2.0"

  on_macos do
    on_arm do
      {{- with .Archive "darwin" "arm64"}}
      url "{{$.URL .File}}"
      sha256 "{{.SHA256}}"
      {{- end}}
    end
    on_intel do
      {{- with .Archive "darwin" "amd64"}}
      url "{{$.URL .File}}"
      sha256 "{{.SHA256}}"
      {{- end}}
    end
  end

  on_linux do
    on_arm do
      {{- with .Archive "linux" "arm64"}}
      url "{{$.URL .File}}"
      sha256 "{{.SHA256}}"
      {{- end}}
    end
    on_intel do
      {{- with .Archive "linux" "amd64"}}
      url "{{$.URL .File}}"
      sha256 "{{.SHA256}}"
      {{- end}}
    end
  end

  def install
    bin.install "doctor"
    man1.install Dir["man/man1/*.1"]
    bash_completion.install "completions/doctor.bash" => "doctor"
    zsh_completion.install "completions/_doctor"
    fish_completion.install "completions/doctor.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/doctor version")
  end
end

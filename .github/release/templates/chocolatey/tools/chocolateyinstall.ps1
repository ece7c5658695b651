$ErrorActionPreference = 'Stop'
{{- with .Archive "windows" "amd64"}}
$package = @{
  packageName    = $env:ChocolateyPackageName
  unzipLocation  = Split-Path -Parent $MyInvocation.MyCommand.Definition
  url64bit       = '{{$.URL .File}}'
  checksum64     = '{{.SHA256}}'
  checksumType64 = 'sha256'
}
{{- end}}
Install-ChocolateyZipPackage @package

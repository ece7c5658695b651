package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"doctor/cmd/doctor/internal/service"
	"doctor/cmd/doctor/internal/session"
)

// serviceFlag says that Windows started the watch as a service.
const serviceFlag = "service"

func watchInstallCommand(std streams) *cobra.Command {
	f := watchFlags{flags: flags{Options: session.Options{Program: program(), Tell: std.tell}}}
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Makes the flight recorder a Windows service, which starts with the node",
		Long: `install makes a Windows service that runs doctor watch with the flags given here, and starts it. The
service starts with Windows, and again a minute after it ends by itself. What it reports is in the
event log Application (source doctor-watch); its bundles are in the folder that --bundle names.
It needs an elevated prompt. doctor watch uninstall takes the service away, and leaves the folder.`,
		Example: `  doctor watch install --bundle C:\doctor
  doctor watch install --bundle C:\doctor --until hns-network-missing --keep 1h
  doctor watch uninstall`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.folder == "" {
				return errors.New("name the folder of the readings and bundles with --bundle")
			}
			if err := f.check(cmd); err != nil {
				return err
			}
			args, err := serviceArgs(cmd.Flags())
			if err != nil {
				return err
			}
			exe, err := os.Executable()
			if err != nil {
				return trouble(err)
			}
			if err := service.Install(exe, args); err != nil {
				return trouble(err)
			}
			fmt.Fprintf(std.out, "installed and started the service %s; its bundles go to %s; "+
				"`doctor watch uninstall` takes it away\n", service.Name, f.folder)
			return nil
		},
	}
	f.addWatch(cmd)
	return cmd
}

func watchUninstallCommand(std streams) *cobra.Command {
	return &cobra.Command{
		Use:   "uninstall",
		Short: "Stops and removes the service that doctor watch install made",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			if err := service.Uninstall(); err != nil {
				return trouble(err)
			}
			fmt.Fprintf(std.out, "removed the service %s; its folder stays\n", service.Name)
			return nil
		},
	}
}

// serviceArgs are the arguments of the service: the flags that were given, with paths that do not
// depend on where a service starts.
func serviceArgs(p *pflag.FlagSet) ([]string, error) {
	args := []string{"watch", "--" + serviceFlag}
	var err error
	p.Visit(func(flag *pflag.Flag) {
		values := []string{flag.Value.String()}
		if list, ok := flag.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			switch flag.Name {
			case "token":
				err = errors.New("every user could read --token in the service's command line; " +
					"use --kubeconfig")
			case "bundle", "kubeconfig", "certificate-authority":
				full, failed := filepath.Abs(v)
				err = errors.Join(err, failed)
				v = full
			}
			args = append(args, "--"+flag.Name+"="+v)
		}
	})
	return args, err
}
